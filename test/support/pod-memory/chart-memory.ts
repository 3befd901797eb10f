import { readFileSync } from 'node:fs';
import type { ServiceName } from '@survey/local/service-environments.ts';
import { parse } from 'yaml';
import { z } from 'zod';

const sizes = z.object({
  resources: z.object({ memory: z.string() }).partial().optional(),
  heapPercent: z.int().optional(),
});
const values = z.object({
  defaults: sizes.extend({ resources: z.object({ memory: z.string() }), heapPercent: z.int() }),
  components: z.record(z.string(), sizes),
  console: sizes,
});

const { defaults, components, console } = values.parse(
  parse(readFileSync(new URL('../../../charts/survey/values.yaml', import.meta.url), 'utf8')),
);

/** Memory of a pod and its heap by default, in MiB. */
export interface PodMemory {
  readonly podMebibytes: number;
  readonly heapMebibytes: number;
}

/** Returns the memory that the chart gives a service by default. */
export function podMemory(service: ServiceName | 'console'): PodMemory {
  const own = service === 'console' ? console : components[service];
  const podMebibytes = Number.parseInt(own?.resources?.memory ?? defaults.resources.memory, 10);
  const percent = own?.heapPercent ?? defaults.heapPercent;
  return { podMebibytes, heapMebibytes: Math.floor((podMebibytes * percent) / 100) };
}
