import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { parseManifests, render } from './render.ts';
import { restrictedFaults } from './pod-security.ts';
import { strictSchemas } from './strict-schemas.ts';

const EXAMPLES = new URL('../../deploy/examples/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, EXAMPLES), 'utf8');
const { helm3 } = inject('tools');

test("B1 the example of PostgreSQL is what CloudNativePG's schema allows", () => {
  const cluster = parseManifests(read('cloudnative-pg.yaml')).filter(({ kind }) => kind === 'Cluster');
  expect(cluster).toHaveLength(1);
  expect(cluster.flatMap(strictSchemas('1.33'))).toEqual([]);
});

test("N4 the example of an authority is what cert-manager's schemas allow", () => {
  const objects = parseManifests(read('cert-manager.yaml'));
  expect(objects.map(({ kind }) => kind)).toEqual(['Issuer', 'Certificate', 'Issuer']);
  expect(objects.flatMap(strictSchemas('1.33'))).toEqual([]);
});

test('B1 the pod that reads dumps is what Pod Security allows, and reads the volume that the CronJob writes', async () => {
  const [pod] = parseManifests(read('read-dumps.yaml'));
  expect(pod && strictSchemas('1.33')(pod)).toEqual([]);
  expect(pod?.spec && restrictedFaults({ metadata: pod.metadata, spec: pod.spec })).toEqual([]);
  expect(JSON.stringify(pod?.spec?.volumes)).toContain('"claimName":"survey-pgdump"');
});

describe.skipIf(helm3 === undefined)('the examples', () => {
  test('D3 are what the profiles expect: names, ports, copies', async () => {
    const text = JSON.stringify(await render({ values: ['profiles/large-tenant.yaml'] }));
    const [pooler] = parseManifests(read('cloudnative-pg-pooler.yaml'));
    expect(text).toContain(`${pooler?.metadata.name}.databases.svc.cluster.local`);
    const nats = parse(read('nats-values.yaml')) as { config: { cluster: { replicas: number }; monitor: { port: number } } };
    expect(text).toContain(`nats-headless.nats.svc.cluster.local:${nats.config.monitor.port}`);
    expect(text).toContain(`{"name":"STREAM_REPLICAS","value":"${nats.config.cluster.replicas}"}`);
  });
});
