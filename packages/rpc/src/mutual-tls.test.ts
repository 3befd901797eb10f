import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@survey/process/service.ts';
import type { GrpcTls } from '@survey/process/grpc-tls.ts';
import { TestCertificates } from '../../../test/support/test-certificates.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { callersOf } from './callers.ts';
import { checkHealth } from './channel.ts';
import type { ServiceDefinition } from './definition.ts';
import { serve } from './serve.ts';
import { connectUpstream } from './upstream.ts';
import { UpstreamError } from './upstream-error.ts';

// Mutual TLS on real connections.
const resources = new AsyncDisposableStack();
let folder = '';
let certificates: TestCertificates;
let address = '';

const file = (name: string): string => join(folder, name);
const spiffe = (service: string): string => `IP:127.0.0.1,URI:spiffe://survey/${service}`;

const tlsOf = (service: string, name = service, authority = 'ca'): GrpcTls => ({
  service,
  certFile: file(`${name}.crt`),
  keyFile: file(`${name}.key`),
  caFile: file(`${authority}.crt`),
});

/** Calls the method with or without this certificate and returns the outcome for the caller. */
async function outcomeOf(method: 'getScore' | 'decideTextRelease', tls: GrpcTls | undefined): Promise<string> {
  const context = toolOf('test', tls);
  using upstream = connectUpstream(ScoringServiceDefinition, address, context);
  const options = { caller: { requestId: 'test', accountId: 1 }, deadlineMs: 2_000 };
  const requests = {
    getScore: () => upstream.getScore({ question_ids: [], period_from: '', period_to: '' }, options),
    decideTextRelease: () => upstream.decideTextRelease({ cycles: [] }, options),
  };
  return await requests[method]().then(
    () => 'answered',
    (error: unknown) => (error instanceof UpstreamError ? error.status : String(error)),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'survey-tls-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  certificates = new TestCertificates(folder);
  for (const authority of ['ca', 'other-ca']) certificates.makeAuthority(authority);
  for (const service of ['gateway', 'export', 'text-analysis', 'scoring-anonymity', 'unheard-of'])
    certificates.make(service, spiffe(service));
  certificates.make('forged', spiffe('gateway'), 'other-ca');
  const settings = {
    PROBE_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    GRPC_TLS: 'mutual' as const,
    GRPC_CERT_FILE: file('scoring-anonymity.crt'),
    GRPC_KEY_FILE: file('scoring-anonymity.key'),
    GRPC_CA_FILE: file('ca.crt'),
  };
  const service = await startService('scoring-anonymity', settings, async (context) => ({
    address: await serve(
      '127.0.0.1:0',
      ScoringServiceDefinition,
      {
        getScore: () => Promise.resolve({ unit: 'enps', respondents: 0, suppressed: true }),
        decideTextRelease: () => Promise.resolve({ released_cycle_ids: [], thresholds: Buffer.alloc(0), holds: false }),
        formTextBlocks: () => Promise.resolve({ cells: [] }),
        releaseTextBlocks: () => Promise.resolve({ released_ordinals: [], thresholds: Buffer.alloc(0), holds: false }),
      },
      context,
    ),
    ready: () => Promise.resolve(true),
  }));
  resources.use(service);
  ({ address } = service);
}, 60_000);
afterAll(() => resources.disposeAsync());

describe('a server with mutual TLS', () => {
  it('accepts the services that may call a method, and rejects other services', async () => {
    expect(await outcomeOf('getScore', tlsOf('gateway'))).toBe('answered');
    expect(await outcomeOf('decideTextRelease', tlsOf('gateway'))).toBe('PERMISSION_DENIED');
    expect(await outcomeOf('decideTextRelease', tlsOf('text-analysis'))).toBe('answered');
    expect(await outcomeOf('getScore', tlsOf('text-analysis'))).toBe('PERMISSION_DENIED');
    for (const service of ['export', 'scoring-anonymity', 'unheard-of'])
      expect(await outcomeOf('getScore', tlsOf(service))).toBe('PERMISSION_DENIED');
  });

  it('rejects connections without a certificate, or with one of another authority', async () => {
    for (const tls of [undefined, tlsOf('gateway', 'forged')])
      expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(await outcomeOf('getScore', tls));
  });

  it('is rejected by a client that trusts another authority', async () => {
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(await outcomeOf('getScore', tlsOf('gateway', 'gateway', 'other-ca')));
  });

  it('responds to health checks of any client with a certificate', async () => {
    await expect(checkHealth(address, tlsOf('unheard-of'))).resolves.toBeUndefined();
    await expect(checkHealth(address)).rejects.toThrow(/./);
  });

  it('reloads its certificate files when they are rotated', { timeout: 60_000 }, async () => {
    certificates.make('rotated', spiffe('scoring-anonymity'), 'other-ca');
    for (const [from, to] of [
      ['rotated.crt', 'scoring-anonymity.crt'],
      ['rotated.key', 'scoring-anonymity.key'],
      ['other-ca.crt', 'ca.crt'],
    ] as const)
      await copyFile(file(from), file(to));
    await expect.poll(() => outcomeOf('getScore', tlsOf('gateway', 'forged', 'other-ca')), { timeout: 40_000 }).toBe('answered');
    expect(await outcomeOf('getScore', tlsOf('gateway'))).not.toBe('answered');
  });
});

it('a service fails to start with only some of its TLS files', async () => {
  const settings = { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent', GRPC_TLS: 'mutual' as const, GRPC_CA_FILE: 'x' };
  await expect(startService('export', settings, () => Promise.reject(new Error('opened')))).rejects.toThrow('GRPC_CERT_FILE');
});

const OPERATORS = ['ops-tools', 'console'];

const pathsOf = ({ fullName, methods }: ServiceDefinition): string[] =>
  Object.values(methods).map(({ name }) => `/${fullName}/${name}`);

it('each method of a service lists its callers, and only those', () => {
  const served = {
    export: [ExportServiceDefinition],
    'import-reconciler': [ImportServiceDefinition],
    'scoring-anonymity': [ScoringServiceDefinition],
    'text-analysis': [TextServiceDefinition, TopicServiceDefinition],
    'account-admin': [AccountAdminServiceDefinition, TopicServiceDefinition],
  };
  const known = ['gateway', 'account-admin', 'text-analysis', ...OPERATORS];
  for (const [service, definitions] of Object.entries(served))
    for (const path of definitions.flatMap(pathsOf)) {
      expect([path, known]).toEqual([path, expect.arrayContaining([...callersOf(service, path)])]);
      expect([path, callersOf(service, path).length]).toEqual([path, service === 'account-admin' ? OPERATORS.length : 1]);
    }
  expect(callersOf('export', '/survey.admin.v1.AccountAdminService/CreateKey')).toEqual([]);
});
