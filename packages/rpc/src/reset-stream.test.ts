import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { startService, type Service } from '@survey/process/service.ts';
import { afterAll, expect, it } from 'vitest';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { connectUpstream, type Upstream } from './upstream.ts';

const options = { caller: { requestId: 'a', accountId: 1 }, deadlineMs: 5_000 };
const question = { question_ids: [1], period_from: '', period_to: '' };
const started = new AsyncDisposableStack();
afterAll(() => started.disposeAsync());

/** Starts a server that closes the first `resets` streams without a status. Counts the streams. */
async function resettingPeer(resets: number) {
  const calls: string[] = [];
  const server = createServer().on('stream', (stream, headers) => {
    calls.push(String(headers[':path']));
    stream.resume();
    if (calls.length <= resets) return stream.close();
    const empty = Buffer.alloc(5);
    stream.respond({ 'content-type': 'application/grpc', ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(empty);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  started.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const upstreams: {
    scoring?: Upstream<ScoringServiceDefinition>;
    imports?: Upstream<ImportServiceDefinition>;
  } = {};
  const service: Service = await startService('caller', { PROBE_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'silent' }, (context) => {
    upstreams.scoring = context.resources.use(connectUpstream(ScoringServiceDefinition, `127.0.0.1:${port}`, context));
    upstreams.imports = context.resources.use(connectUpstream(ImportServiceDefinition, `127.0.0.1:${port}`, context));
    return Promise.resolve({ address: '', ready: () => Promise.resolve(true) });
  });
  started.use(service);
  return { calls, ...upstreams };
}

it('repeats a read once when its stream is reset', async () => {
  const { calls, scoring } = await resettingPeer(1);
  expect(await scoring?.getScore(question, options)).toMatchObject({ respondents: 0 });
  expect(calls).toHaveLength(2);
});

it('reports UNAVAILABLE when the repeated read is reset too', async () => {
  const { calls, scoring } = await resettingPeer(9);
  await expect(scoring?.getScore(question, options)).rejects.toMatchObject({ status: 'UNAVAILABLE', wasReset: true });
  expect(calls).toHaveLength(2);
});

it('reports UNAVAILABLE and does not repeat when an upload is reset', async () => {
  const { calls, imports } = await resettingPeer(9);
  async function* requests() {
    yield { chunk: Buffer.from('x') };
  }
  await expect(imports?.startImport(requests(), options)).rejects.toMatchObject({ status: 'UNAVAILABLE' });
  expect(calls).toHaveLength(1);
});
