import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { openBus } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { inspectBus } from '@survey/bus/inspect-bus.ts';
import { FACT_POSITION } from '@survey/bus/position.ts';
import { provision } from '@survey/bus/provision.ts';
import type { ConsumerName } from '@survey/bus/streams.ts';
import { startNats } from '@survey/local/nats.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { FactPosition } from '@survey/proto/events/v1/events.ts';
import { EncodedFactBatch, Fact } from '@survey/proto/intake/v1/intake.ts';
import { expect, inject, it } from 'vitest';
import { survey } from '../support/facts.ts';
import { createDatabase } from '../support/postgres-server.ts';

// What a power cut leaves when the position of a consumer has reached the disk before the messages
// that it counts: the messages are restored from a copy, the positions are not.

const BEFORE = 5;
const LOST = 20;
const AFTER = 6;

async function publish(bus: NatsConnection, from: number, count: number): Promise<void> {
  const publisher = new FactPublisher(bus, { accountId: 1, source: `from-${from}` });
  for (let id = from; id < from + count; id += 1) {
    await publisher.add('survey', survey(id));
    await publisher.flush();
  }
}

it('receives facts that the stream stores at positions which its consumers have passed', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-positions-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await createDatabase(inject('postgres'));
  resources.defer(() => database.drop());
  const storeDir = join(folder, 'nats');
  let server = await startNats({ storeDir, log: () => undefined });
  resources.defer(() => server.stop());
  const { url, port } = server;
  await provision({ natsUrl: url });

  const context = toolOf('test');
  resources.use(context.resources);
  const pool = openDatabase({ url: database.url, name: 'test', maxConnections: 2 }, context);
  const bus = openBus(url, 'test', context);
  const receive = (consumer: ConsumerName, positions?: Parameters<typeof consume>[1]['positions']): Set<number> => {
    const ids = new Set<number>();
    const handle = async (payload: Uint8Array): Promise<void> => {
      for (const bytes of EncodedFactBatch.decode(payload).facts) ids.add(Fact.decode(bytes).survey?.id ?? 0);
    };
    consume(bus, { consumer, concurrency: 10, handle, ...(positions && { positions }) }, context);
    return ids;
  };
  const received = receive('export-survey', { pool, schema: 'export' });
  // The control: its position is only on NATS.
  const skipping = receive('scoring-anonymity-survey');

  const earlier = await connect(readBusUrl(url));
  await publish(earlier, 1, BEFORE);
  const messages = join(storeDir, 'jetstream/$G/streams/INTAKE/msgs');
  await cp(messages, join(folder, 'synced'), { recursive: true });
  await publish(earlier, 101, LOST);
  await earlier.close();
  for (const ids of [received, skipping]) await expect.poll(() => ids.size).toBe(BEFORE + LOST);

  // Stored at the next look, too of the consumer.
  const { rows } = await pool.query<{ applied_up_to: string }>(
    `update export.bus_position set sequence = $1, reached_at = now() - interval '1 hour' where name = 'export-survey'
     returning ${FACT_POSITION}`,
    [BEFORE],
  );
  const reachedAt = rows[0]?.applied_up_to;
  await server.stop();
  await rm(messages, { recursive: true });
  await cp(join(folder, 'synced'), messages, { recursive: true });
  server = await startNats({ storeDir, port, log: () => undefined });
  const application = await connect(readBusUrl(url));
  resources.defer(() => application.close());
  const told: FactPosition[] = [];
  application.subscribe('progress.facts.*', { callback: (_, { data }) => void told.push(FactPosition.decode(data)) });
  await publish(application, 201, AFTER);

  await expect.poll(() => [...received].filter((id) => id > 200).length).toBe(AFTER);
  const manager = await jetstreamManager(application);
  expect((await manager.streams.info('INTAKE')).state.last_seq).toBeLessThan(BEFORE + LOST);
  expect((await manager.consumers.info('INTAKE', 'scoring-anonymity-survey')).num_pending).toBe(0);
  expect([...skipping].filter((id) => id > 200)).toEqual([]);
  // The position goes on, and the loss stays.
  const lost = { lost_from: reachedAt, lost_until: expect.stringMatching(/Z$/) };
  const isTold = expect.arrayContaining([
    { consumer: 'export-survey', applied_up_to: reachedAt, ...lost },
    { consumer: 'export-survey', applied_up_to: expect.not.stringContaining(String(reachedAt)), ...lost },
  ]);
  await expect.poll(() => told).toEqual(isTold);
  expect((await inspectBus(url)).ahead).toEqual([`scoring-anonymity-survey by ${LOST - AFTER} messages`]);
});
