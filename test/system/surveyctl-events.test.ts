import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { startFileStack } from '../support/file-stack.ts';
import { openIntake, survey } from '../support/facts.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { stack, operator, db } = await startFileStack();
const surveyctl = surveyctlAt(stack);

it('publishes the events of a time again, with their ids', async () => {
  const { accountId } = await operator.createAccount();
  const bus = await connect(readBusUrl(stack.natsUrl));
  onTestFinished(() => bus.close());
  const { streams } = await jetstreamManager(bus);
  const stored = async (): Promise<(string | undefined)[]> => {
    const { first_seq, last_seq } = (await streams.info('EVENTS')).state;
    const messages = await Promise.all(
      Array.from({ length: last_seq - first_seq + 1 }, (_, at) => streams.getMessage('EVENTS', { seq: first_seq + at })),
    );
    return messages.flatMap((message) =>
      message?.header.get('ce-subject') === String(accountId) ? [message.header.get('ce-id')] : [],
    );
  };
  await surveyctl(['settings', 'set', '--account', String(accountId), '--retain-answers', '100', '--reason', 'test']);
  await expect.poll(async () => (await stored()).length).toBeGreaterThan(0);
  const before = await stored();
  await streams.purge('EVENTS');
  // NATS recognises the ids of the last two minutes, although their messages are gone.
  const { stdout } = await surveyctl(['events', 'replay', '--since', new Date(Date.now() - 3_600_000).toISOString(), '--json']);
  expect(JSON.parse(stdout)).toEqual({ events: expect.any(Number) });
  await expect.poll(stored).toEqual(before);
});

it('delivers no facts again for a time that has not come', async () => {
  const { exitCode, stderr } = await surveyctl(['facts', 'replay', '--since', '2999-01-01']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('It must not be in the future.') });
});

it('tells until when each service has applied facts, and which are lost', async () => {
  const { accountId } = await operator.createAccount();
  await (await openIntake(stack)).publishFacts(accountId, 'survey', [survey(1)]);
  const reached = '2026-05-04T10:00:00Z';
  const reachedAt = '2026-05-04T10:00:00.4Z';
  const since = "lost_from = reached_at - interval '2 hours', lost_until = reached_at - interval '1 hour'";
  await db.query(`update export.bus_position set reached_at = $1 where name = 'export-survey'`, [reachedAt]);
  await db.query(`update export.bus_position set ${since} where name = 'export-survey'`);
  const { stdout } = await surveyctl(['facts', 'positions', '--json']);
  const { positions } = z.object({ positions: z.array(z.unknown()) }).parse(JSON.parse(stdout));
  const lost = { lost_from: '2026-05-04T08:00:00Z', lost_until: '2026-05-04T09:00:01Z' };
  expect(positions).toContainEqual({ consumer: 'export-survey', applied_up_to: reached, ...lost });
  expect(stdout).not.toContain('outbox');
});
