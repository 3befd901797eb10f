import { describe, expect, inject, test } from 'vitest';
import { containersOf, nameOf, podOf, secretFilesOf } from '../support/chart/manifest.ts';
import { render } from '../support/chart/render.ts';
import { configOf, renderOf } from '../support/chart/rendered.ts';

const { helm3 } = inject('tools');
const certificateOf = (volumes: readonly Readonly<Record<string, unknown>>[] = []): string | undefined =>
  volumes.map(({ secret }) => (secret as { secretName?: string } | undefined)?.secretName).find((name) => name !== undefined);

describe.skipIf(helm3 === undefined)('TLS between services', () => {
  test('gives every server and caller a certificate with its own name in mutual mode', async () => {
    const rendered = renderOf(await render({ values: ['profiles/ha.yaml'] }));
    const certificates = new Map(
      rendered.manifests
        .filter(({ kind }) => kind === 'Certificate')
        .map(({ spec }) => [spec?.['secretName'], spec?.['dnsNames'] as string[]]),
    );
    const callers = rendered.pods.filter(({ owner }) => owner.kind !== 'Job');
    expect(callers.length).toBeGreaterThan(8);
    for (const { owner, spec } of callers) {
      const own = certificates.get(certificateOf(spec.volumes)) ?? [];
      expect({ owner: nameOf(owner), isNamed: own.length > 0 }).toEqual({ owner: nameOf(owner), isNamed: true });
      const modes = [
        ...containersOf(spec).flatMap(({ env = [] }) => env),
        ...Object.entries(configOf(owner, rendered)).map(([name, value]) => ({ name, value })),
      ];
      expect(modes).toContainEqual({ name: 'GRPC_TLS', value: 'mutual' });
      if (owner.kind !== 'Deployment') continue;
      expect(own[0]).toBe(`${owner.metadata.name}.survey.svc.cluster.local`);
    }
  });

  test('uses only addresses that certificates name', async () => {
    const rendered = renderOf(await render({ values: ['profiles/ha.yaml'] }));
    const names = rendered.manifests.flatMap(({ kind, spec }) =>
      kind === 'Certificate' ? (spec?.['dnsNames'] as string[]) : [],
    );
    const addresses = rendered.pods.flatMap(({ owner }) =>
      Object.entries(configOf(owner, rendered)).filter(([name]) => name.endsWith('_ADDRESS')),
    );
    expect(addresses.map(([, address]) => address.split(':')[0]).filter((host) => !names.includes(host ?? ''))).toEqual([]);
  });

  test('requests no certificate that the values provide', async () => {
    const manifests = await render({ values: ['ci/tls-given-values.yaml'] });
    const requested = manifests.filter(({ kind }) => kind === 'Certificate').map(({ metadata }) => metadata.name);
    expect(requested).not.toContain('survey-export');
    const exporter = manifests.find((one) => nameOf(one) === 'Deployment survey-export');
    expect(certificateOf(exporter && podOf(exporter)?.spec.volumes)).toBe('export-certificate');
  });

  test('mounts no certificate when it is off', async () => {
    const { pods } = renderOf(await render({ values: ['profiles/small.yaml'] }));
    expect(pods.map(({ spec }) => certificateOf(spec.volumes)).filter((name) => name !== undefined)).toEqual([]);
  });

  test('at the edge needs a certificate only for gateway and console, which helm test verifies', async () => {
    const cert = ['tls.certManager.enabled=true', 'tls.certManager.issuerRef.name=edge', 'tls.edge=true'];
    const rendered = renderOf(await render({ values: ['ci/console-values.yaml'], set: cert }));
    const certificates = rendered.manifests.filter(({ kind }) => kind === 'Certificate');
    expect(certificates.map(({ metadata }) => metadata.name).sort()).toEqual(['survey-console', 'survey-gateway']);
    const paths = new Map(rendered.pods.map(({ owner, spec }) => [owner.metadata.name, spec]));
    for (const name of ['survey-console', 'survey-gateway']) {
      expect(certificateOf(paths.get(name)?.volumes)).toBe(`${name}-tls`);
      const owner = rendered.manifests.find((one) => nameOf(one) === `Deployment ${name}`);
      expect(owner && configOf(owner, rendered)).toMatchObject({ HTTP_TLS_CERT_FILE: '/etc/survey/tls/tls.crt' });
    }
    const check = paths.get('survey-test-gateway');
    expect(check?.containers?.[0]?.args).toEqual(['check', 'https://survey-gateway.survey.svc.cluster.local:8080']);
    expect(secretFilesOf(check ?? {})).toEqual([{ path: 'gateway-ca.crt', secret: 'survey-gateway-tls', key: 'ca.crt' }]);
  });
});
