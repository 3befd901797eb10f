import { jetstreamManager } from '@nats-io/jetstream';
import type { BusConnection } from './connection.ts';

const TIMEOUT_MS = 5_000;

/** Deletes the account's facts from the stream INTAKE. @throws while the bus is unavailable. */
export async function purgeFacts(bus: BusConnection, accountId: number): Promise<void> {
  const connection = bus.current();
  if (connection === undefined) throw new Error('cannot purge the facts of an account: the bus is unavailable');
  const manager = await jetstreamManager(connection, { timeout: TIMEOUT_MS, checkAPI: false });
  await manager.streams.purge('INTAKE', { filter: `intake.*.${accountId}` });
}
