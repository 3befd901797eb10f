import { environment } from '@survey/console/config.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, inject, test } from 'vitest';
import { podOf, secretFilesOf } from '../support/chart/manifest.ts';
import { render } from '../support/chart/render.ts';
import { configOf, renderOf } from '../support/chart/rendered.ts';

const { helm3 } = inject('tools');
const VALUES = ['profiles/ha.yaml', 'ci/console-values.yaml'];
const ISSUERS = JSON.stringify([{ id: 'a', name: 'A', issuer: 'https://issuer.example.com', client_id: 'console' }]);
const KEY = Buffer.alloc(32).toString('base64');

describe.skipIf(helm3 === undefined)('the web console', () => {
  test('is deployed only when it is enabled', async () => {
    const { manifests } = renderOf(await render({ values: ['profiles/small.yaml'] }));
    expect(manifests.filter(({ metadata }) => metadata.name.includes('console'))).toEqual([]);
  });

  test('reads all its settings and receives no database or NATS address', async () => {
    const rendered = renderOf(await render({ values: VALUES }));
    const [deployment] = rendered.manifests.filter(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('console'),
    );
    expect(deployment).toBeDefined();
    if (deployment === undefined) return;
    const files = secretFilesOf(podOf(deployment)?.spec ?? {}).map(({ path }) => path);
    expect(files).toEqual(['CONSOLE_ISSUERS', 'CONSOLE_SESSION_KEYS', 'REDIS_PASSWORD']);
    const config = configOf(deployment, rendered);
    expect(Object.keys(config).filter((name) => /^(PG|NATS|DATABASE)/.test(name))).toEqual([]);
    const told = {
      ...config,
      CONSOLE_ISSUERS: ISSUERS,
      CONSOLE_SESSION_KEYS: KEY,
    };
    expect(readEnvironment(environment, told)).toMatchObject({ CONSOLE_URL: 'https://console.example.com', GRPC_TLS: 'mutual' });
  });

  test('has its own ingress host, two pods and a disruption budget', async () => {
    const { manifests } = renderOf(await render({ values: VALUES }));
    const own = manifests.filter(({ metadata }) => metadata.name.endsWith('-console'));
    expect(own.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Deployment', 'Service', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget']),
    );
    const ingress = own.find(({ kind }) => kind === 'Ingress');
    expect(JSON.stringify(ingress?.spec)).toContain('console.example.com');
    const certificate = JSON.stringify(manifests.filter(({ kind }) => kind === 'Certificate'));
    expect(['[]', expect.stringContaining('spiffe://survey/console')]).toContainEqual(certificate);
  });
});
