import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { provision } from '@survey/bus/provision.ts';
import { CONSUMERS, STREAMS } from '@survey/bus/streams.ts';
import { startNats } from '@survey/local/nats.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { afterAll, expect, it } from 'vitest';

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
