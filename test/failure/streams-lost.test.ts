import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { inspectBus } from '@survey/bus/inspect-bus.ts';
import { provision } from '@survey/bus/provision.ts';
import { STREAMS } from '@survey/bus/streams.ts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { holdAccount } from '../support/employees.ts';
import { openIntake, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';

const { stack, api, operator, db } = await startFileStack();
const intake = await openIntake(stack);
// More than the concurrency limit: some imports are queued in JOBS, others are running.
const ACCOUNTS = 6;

async function acceptFor({ writeKey }: Account): Promise<string> {
  const { status, body } = await api.post('/v1/employees/imports', { employees: records(1, 20) }, writeKey);
  expect({ status, body }).toMatchObject({ status: 202 });
  return z.object({ import_uuid: z.string() }).parse(body).import_uuid;
}

async function deleteStreams(): Promise<void> {
  const bus = await connect({ servers: stack.natsUrl.replace('nats://', '') });
  const manager = await jetstreamManager(bus);
  for (const { name } of STREAMS) await manager.streams.delete(name);
  await bus.close();
}

it('finishes queued work and ingests facts when all streams are deleted and recreated', async () => {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => operator.createAccount()));
  await using held = new AsyncDisposableStack();
  for (const { accountId } of accounts) held.use(await holdAccount(db, accountId));
  const accepted = await Promise.all(accounts.map(async (account) => ({ account, uuid: await acceptFor(account) })));
  await deleteStreams();
  expect((await inspectBus(stack.natsUrl)).missing).toContain('stream JOBS');
  // Without streams, no message can start a worker.
  const later = await operator.createAccount();
  accepted.push({ account: later, uuid: await acceptFor(later) });
  await provision({ natsUrl: stack.natsUrl });
  await held.disposeAsync();

  for (const { account, uuid } of accepted)
    expect(await operator.importEnded(account.accountId, uuid)).toMatchObject({ state: 'applied', counts: { created: 20 } });
  await intake.publishFacts(later.accountId, 'survey', [survey(1, { name: { en: randomUUID() } })]);
  expect(await api.get('/v1/surveys', later.readKey)).toMatchObject({ status: 200, body: { total_count: 1 } });
});

it('publishes outstanding events to the new stream', async () => {
  const bus = await connect({ servers: stack.natsUrl.replace('nats://', '') });
  const manager = await jetstreamManager(bus);
  const published = async (subject: string): Promise<number> =>
    (await manager.streams.info('EVENTS', { subjects_filter: subject })).state.subjects?.[subject] ?? 0;
  // No import had been applied when the streams were deleted. Employee events are published in
  // batches.
  await expect.poll(() => published('events.import.applied')).toBe(ACCOUNTS + 1);
  await expect.poll(() => published('events.employee.created')).toBe(ACCOUNTS + 1);
  await bus.close();
});
