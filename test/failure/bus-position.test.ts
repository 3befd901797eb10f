import { randomUUID } from 'node:crypto';
import { noteOutboxServer, resumeOutbox, storePosition } from '@survey/bus/position.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

const database = await createDatabase(inject('postgres'));
const tools = toolOf('test');
const pool = openDatabase({ url: database.url, name: 'test', maxConnections: 2 }, tools);
afterAll(async () => {
  await tools.resources.disposeAsync();
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
