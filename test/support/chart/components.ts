import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const FILE = new URL('../../../charts/survey/templates/_service-facts.tpl', import.meta.url);

const component = z.strictObject({
  serves: z.enum(['http', 'grpc']),
  role: z.string(),
  calls: z.array(z.string()),
  stores: z.array(z.enum(['postgres', 'nats', 'redis', 'smtp'])),
  connections: z.int(),
  connectionsPerImport: z.int().optional(),
  replicaConnections: z.int().optional(),
  nodeFlags: z.string(),
  outsideHeapMi: z.int().optional(),
  consumers: z.array(z.object({ stream: z.string(), name: z.string() })),
  publishes: z.array(z.string()),
  subscribes: z.array(z.string()),
  scaledBy: z.array(z.string()),
});

/** Properties of a service that the charts rely on. */
type Component = z.output<typeof component>;

export function readComponents(): Record<string, Component> {
  const [, text = ''] = /define "survey.components" -}}\n(.*?){{- end/s.exec(readFileSync(FILE, 'utf8')) ?? [];
  return z.record(z.string(), component).parse(parse(text));
}
