import { jetstream, jetstreamManager, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import type { BusConnection } from './connection.ts';
import type { Erasure } from './employee-erasure.ts';

const TIMEOUT_MS = 5_000;

/** Deletes the account's facts from the stream INTAKE. @throws while the bus is unavailable. */
export async function purgeFacts(bus: BusConnection, accountId: number): Promise<void> {
  await (await managerOf(connectionOf(bus))).streams.purge('INTAKE', { filter: `intake.*.${accountId}` });
}

/**
 * Records the deletion of an account outside PostgreSQL, where no restore can undo it. Recording it
 * again changes only its time. @throws while the bus is unavailable.
 */
export async function recordDeletion(bus: BusConnection, accountId: number): Promise<void> {
  await jetstream(connectionOf(bus), { timeout: TIMEOUT_MS }).publish(`deletions.account.${accountId}`);
}

const ANSWERS = 'answers';

/**
 * Records the erasure of an employee in the same stream, with hashes that identify the employee,
 * because after a restore the id may belong to another one, and with what happens to the answers,
 * because the account may choose otherwise by then. @throws while the bus is unavailable.
 */
export async function recordErasure(bus: BusConnection, erasure: Erasure, identity: Buffer): Promise<void> {
  const meta = headers();
  meta.set(ANSWERS, erasure.answers);
  const subject = `deletions.employee.${erasure.accountId}.${erasure.employeeId}`;
  await jetstream(connectionOf(bus), { timeout: TIMEOUT_MS }).publish(subject, identity, { headers: meta });
}

interface RecordedDeletion {
  readonly accountId: number;
  readonly recordedAt: Date;
}

export interface RecordedErasure extends RecordedDeletion {
  readonly employeeId: number;
  readonly identity: Buffer;
  // Undefined in records of earlier releases.
  readonly answers: string | undefined;
}

/** Returns all recorded deletions of accounts. @throws while the bus is unavailable. */
export async function recordedDeletions(bus: BusConnection): Promise<RecordedDeletion[]> {
  const recorded = await readRecords(bus, 'deletions.account.*');
  return recorded
    .map(({ subject, time }) => ({ accountId: Number(subject.split('.')[2]), recordedAt: time }))
    .sort((a, b) => a.accountId - b.accountId);
}

/** Returns all recorded erasures of employees. @throws while the bus is unavailable. */
export async function recordedErasures(bus: BusConnection): Promise<RecordedErasure[]> {
  const recorded = await readRecords(bus, 'deletions.employee.*.*');
  return recorded
    .map(({ subject, time, data, header }) => {
      const [, , accountId = 0, employeeId = 0] = subject.split('.').map(Number);
      return { accountId, employeeId, recordedAt: time, identity: Buffer.from(data), answers: header.get(ANSWERS) || undefined };
    })
    .sort((a, b) => a.accountId - b.accountId || a.employeeId - b.employeeId);
}

async function readRecords(bus: BusConnection, filter: string): Promise<StoredMsg[]> {
  const { streams } = await managerOf(connectionOf(bus));
  const { state } = await streams.info('DELETIONS', { subjects_filter: filter });
  const records: StoredMsg[] = [];
  for (const subject of Object.keys(state.subjects ?? {})) {
    const message = await streams.getMessage('DELETIONS', { last_by_subj: subject });
    if (message === null) throw new Error('expected a message of the subject');
    records.push(message);
  }
  return records;
}

function connectionOf(bus: BusConnection): NatsConnection {
  const connection = bus.current();
  if (connection === undefined) throw new Error('cannot reach the streams of deleted accounts: the bus is unavailable');
  return connection;
}

function managerOf(connection: NatsConnection): Promise<JetStreamManager> {
  return jetstreamManager(connection, { timeout: TIMEOUT_MS, checkAPI: false });
}
