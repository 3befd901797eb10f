import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { openBus } from '@survey/bus/connection.ts';
import { consume, type Delivery } from '@survey/bus/consume.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { noteOutboxServer, resumeOutbox, storePosition } from '@survey/bus/position.ts';
import { provision } from '@survey/bus/provision.ts';
import { startNats } from '@survey/local/nats.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { survey } from '../support/facts.ts';
import { createDatabase } from '../support/postgres-server.ts';

const database = await createDatabase(inject('postgres'));
const context = toolOf('test');
const pool = openDatabase({ url: database.url, name: 'test', maxConnections: 2 }, context);
afterAll(async () => {
  await context.resources.disposeAsync();
  await database.drop();
});

it('publishes the last events again to a server that it does not know, and to no other', async () => {
  const store = { pool, schema: 'imports' } as const;
  const { rows } = await pool.query<{ id: number }>(`insert into admin.account (name) values ('A') returning account_id as id`);
  const send = (sentAgo: string, sequence: number | null) =>
    pool.query(
      `insert into imports.outbox (account_id, subject, payload, sequence, sent_at)
       values ($1, 'events.import.applied', '', $2, now() - $3::interval)`,
      [rows[0]?.id, sequence, sentAgo],
    );
  const unsent = async (): Promise<(number | null)[]> => {
    const found = await pool.query<{ sequence: number | null }>('select sequence from imports.outbox where sent_at is null');
    return found.rows.map(({ sequence }) => sequence);
  };
  expect(await resumeOutbox(store, 'first')).toBe(0);
  await send('10 minutes', 1);
  await send('1 minute', 2);
  // The sweeper finds lost jobs.
  await send('1 minute', null);
  await noteOutboxServer(store, 'first');
  expect(await resumeOutbox(store, 'first')).toBe(0);
  expect(await unsent()).toEqual([]);
  expect(await resumeOutbox(store, 'restarted')).toBe(1);
  expect(await unsent()).toEqual([2]);
});

it('stores positions of known servers only, and none that is older', async () => {
  const store = { pool, schema: 'export' } as const;
  await pool.query(`insert into export.bus_position (name, servers) values ('export-survey', '{first}')`);
  const sequence = async (): Promise<number | null | undefined> => {
    const { rows } = await pool.query<{ sequence: number | null }>('select sequence from export.bus_position');
    return rows[0]?.sequence;
  };
  const reached = (of: number, minute: number, server: string) =>
    storePosition(store, 'export-survey', { sequence: of, time: `2026-05-04T10:0${minute}:00.123456789Z`, server });
  await reached(7, 2, 'first');
  await reached(6, 1, 'first');
  await reached(9, 3, randomUUID());
  expect(await sequence()).toBe(7);
  await reached(8, 3, 'first');
  expect(await sequence()).toBe(8);
});

it('creates its consumer again when a replay was interrupted after it had deleted it', async () => {
  await using resources = new AsyncDisposableStack();
  const storeDir = await mkdtemp(join(tmpdir(), 'survey-position-'));
  resources.defer(() => rm(storeDir, { recursive: true, force: true }));
  const server = await startNats({ storeDir, log: () => undefined });
  resources.defer(() => server.stop());
  const { url } = server;
  await provision({ natsUrl: url });
  const instance = toolOf('test');
  resources.use(instance.resources);
  const sequences: number[] = [];
  const handle = async (_: Uint8Array, { sequence }: Delivery): Promise<void> => void sequences.push(sequence);
  const positions = { pool, schema: 'text' } as const;
  consume(openBus(url, 'test', instance), { consumer: 'text-analysis-question', positions, concurrency: 1, handle }, instance);

  const application = await connect(readBusUrl(url));
  resources.defer(() => application.close());
  const publish = async (): Promise<void> => {
    const publisher = new FactPublisher(application, { accountId: 1, source: randomUUID() });
    await publisher.add('question', survey(1));
    await publisher.flush();
  };
  await publish();
  await expect.poll(() => sequences).toEqual([1]);
  await (await jetstreamManager(application)).consumers.delete('INTAKE', 'text-analysis-question');
  await publish();
  await expect.poll(() => sequences, { timeout: 20_000 }).toContain(2);
});
