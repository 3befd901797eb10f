import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusConnection } from './connection.ts';

const TIMEOUT_MS = 5_000;

/** Deletes the account's facts from the stream INTAKE. @throws while the bus is unavailable. */
export async function purgeFacts(bus: BusConnection, accountId: number): Promise<void> {
  await (await managerOf(connected(bus))).streams.purge('INTAKE', { filter: `intake.*.${accountId}` });
}

/**
 * Records the deletion of an account outside PostgreSQL, where no restore can undo it. Recording it
 * again changes only its time. @throws while the bus is unavailable.
 */
export async function recordDeletion(bus: BusConnection, accountId: number): Promise<void> {
  await jetstream(connected(bus), { timeout: TIMEOUT_MS }).publish(`deletions.account.${accountId}`);
}

interface RecordedDeletion {
  readonly accountId: number;
  readonly recordedAt: Date;
}

/** Returns all recorded deletions of accounts. @throws while the bus is unavailable. */
export async function recordedDeletions(bus: BusConnection): Promise<RecordedDeletion[]> {
  const { streams } = await managerOf(connected(bus));
  const { state } = await streams.info('DELETIONS', { subjects_filter: 'deletions.account.*' });
  const recorded: RecordedDeletion[] = [];
  for (const subject of Object.keys(state.subjects ?? {})) {
    const message = await streams.getMessage('DELETIONS', { last_by_subj: subject });
    if (message === null) throw new Error('expected a message of the subject');
    recorded.push({ accountId: Number(subject.split('.')[2]), recordedAt: message.time });
  }
  return recorded.sort((a, b) => a.accountId - b.accountId);
}

function connected(bus: BusConnection): NatsConnection {
  const connection = bus.current();
  if (connection === undefined) throw new Error('cannot reach the streams of deleted accounts: the bus is unavailable');
  return connection;
}

function managerOf(connection: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(connection, { timeout: TIMEOUT_MS, checkAPI: false });
}
