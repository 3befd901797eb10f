import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { inspectBus } from '@survey/bus/inspect-bus.ts';
import { replayFacts } from '@survey/bus/position.ts';
import { provision } from '@survey/bus/provision.ts';
import { CONSUMERS, STREAMS } from '@survey/bus/streams.ts';
import { NATS, startNats } from '@survey/local/nats.ts';
import { reservePort } from '@survey/local/ports.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { launchStore } from '@survey/local/store.ts';
import { afterAll, expect, it } from 'vitest';
import { obtainProgram } from '../support/processes.ts';

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const folder = await mkdtemp(join(tmpdir(), 'survey-provision-'));
resources.defer(() => rm(folder, { recursive: true, force: true }));
const passwords = makeBusPasswords();
const nats = await startNats({ storeDir: join(folder, 'nats'), passwords, log: () => {} });
resources.defer(() => nats.stop());
const natsUrl = nats.url.replace('://', `://prepare:${passwords.prepare}@`);

/** Returns retention and wait times, by name of the stream or consumer. */
async function settingsOf(manager: JetStreamManager): Promise<Record<string, unknown>> {
  const streams = STREAMS.map(async ({ name }) => [name, (await manager.streams.info(name)).config.max_age] as const);
  const consumers = Object.values(CONSUMERS).map(
    async ({ stream, durable_name: name }) => [name, (await manager.consumers.info(stream, name)).config.ack_wait] as const,
  );
  return Object.fromEntries(await Promise.all([...streams, ...consumers]));
}

it('brings streams and consumers of the release before to the settings of this one', async () => {
  await provision({ natsUrl });
  const bus = await connect(readBusUrl(natsUrl));
  resources.defer(() => bus.close());
  const manager = await jetstreamManager(bus);
  const wanted = await settingsOf(manager);
  for (const { name } of STREAMS) await manager.streams.update(name, { max_age: 600_000_000_000 });
  for (const { stream, durable_name: name } of Object.values(CONSUMERS))
    await manager.consumers.update(stream, name, { ack_wait: 5_000_000_000 });
  expect(await settingsOf(manager)).not.toEqual(wanted);
  await provision({ natsUrl });
  expect(await settingsOf(manager)).toEqual(wanted);
});

it('updates consumers that services delete and add again at this moment', async () => {
  const bus = await connect(readBusUrl(natsUrl));
  const over = new AbortController();
  const replaying = (async () => {
    while (!over.signal.aborted) await replayFacts(bus, new Date().toISOString());
  })();
  for (let turn = 0; turn < 20; turn += 1) await provision({ natsUrl });
  over.abort();
  await replaying;
  await bus.close();
  expect(await inspectBus(natsUrl)).toMatchObject({ missing: [], different: [] });
});

// What docs/operating.md says that an account needs.
const STREAM_BYTES = 64 * 1024 * 1024;
const ACCOUNT = `max_bytes_required: true, max_file: ${STREAMS.length * STREAM_BYTES}, max_streams: ${STREAMS.length}, max_consumers: ${Object.keys(CONSUMERS).length + 1}`;

it('creates streams in an account that requires sizes and has no more than the documented limits', async () => {
  const port = await reservePort();
  const file = join(folder, 'account.conf');
  await writeFile(
    file,
    `listen: "127.0.0.1:${port}"
jetstream { store_dir: ${JSON.stringify(join(folder, 'account'))} }
accounts { SURVEY { users: [{ user: prepare, password: prepare }], jetstream: { ${ACCOUNT} } } }
`,
  );
  const command = { command: await obtainProgram(NATS), args: ['--config', file] };
  const probe = async (): Promise<void> =>
    (await connect({ servers: `127.0.0.1:${port}`, user: 'prepare', pass: 'prepare' })).close();
  const url = `nats://prepare:prepare@127.0.0.1:${port}`;
  const server = await launchStore({ name: 'NATS', command, logFile: join(folder, 'account.log'), url, port, probe });
  resources.defer(() => server.stop());
  await expect(provision({ natsUrl: url })).rejects.toThrow('account requires a stream config to have max bytes set');
  const maxBytes = Object.fromEntries(STREAMS.map(({ name }) => [name, STREAM_BYTES]));
  await provision({ natsUrl: url, maxBytes, eventConsumers: ['application'] });
  expect(await inspectBus(url)).toMatchObject({ missing: [], different: [], maxStoredBytes: STREAMS.length * STREAM_BYTES });
});
