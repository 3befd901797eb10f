import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, inject, test } from 'vitest';
import { PROFILES, render } from './render.ts';
import { configOf, renderOf } from './rendered.ts';
import { ENVIRONMENTS } from './service-environments.ts';

// What the process reads itself, Node, or a command that people run in the container.
const OTHERS = [
  'DRAIN_DELAY_MS',
  'FINISH_MS',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'PGPASSWORD',
  'NATS_PASSWORD',
  'REDIS_PASSWORD',
];
const ALSO = new Map([['account-admin', ['ACCOUNT_ADMIN_ADDRESS', 'IMPORT_RECONCILER_ADDRESS', 'TEXT_ANALYSIS_ADDRESS']]]);

const { helm3 } = inject('tools');

describe.skipIf(helm3 === undefined)('settings', () => {
  test.each(PROFILES)('A11 %s: services can read what they are told, and nothing is told in vain', async (profile) => {
    const rendered = renderOf(await render({ values: [`profiles/${profile}.yaml`] }));
    const services = rendered.pods.filter(
      ({ owner }) => owner.kind === 'Deployment' && !owner.metadata.name.endsWith('ops-tools'),
    );
    expect(services).toHaveLength(ENVIRONMENTS.size);
    for (const { owner, spec } of services) {
      const name = spec.containers?.[0]?.name ?? '';
      const shape = ENVIRONMENTS.get(name) ?? {};
      const secret = spec.containers?.[0]?.env?.map(({ name, value = 'smtp://set' }) => [name, value]) ?? [];
      const told = { ...configOf(owner, rendered), ...Object.fromEntries(secret) };
      expect(() => readEnvironment(shape, told)).not.toThrow();
      const vain = Object.keys(told).filter((key) => !(key in shape) && ![...OTHERS, ...(ALSO.get(name) ?? [])].includes(key));
      expect({ name, vain }).toEqual({ name, vain: [] });
    }
  });
});
