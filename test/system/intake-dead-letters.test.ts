import { EncodedFactBatch, Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Account } from '../support/accounts.ts';
import { assignment, cycle, initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { list } from '../support/list-conventions.ts';

const stack = await startFileStack();
const { db, operator } = stack;
const { publishFacts, publishMessage } = await openIntake(stack.stack);

const LISTS = [
  ['questions', 'questions'],
  ['survey_cycles', 'cycles'],
  ['survey_assignments', 'survey_assignments'],
  ['initiatives', 'initiatives'],
] as const;
const surveyIdsOf = async (own: Account) => (await list(stack, own, '/v1/surveys', 'surveys')).rows.map(({ id }) => id);

const deadLetters = z.array(
  z.object({ position: z.int(), kind: z.string(), source: z.string(), line: z.coerce.number(), reason: z.string() }),
);
async function deadLettersOf({ accountId }: Account) {
  const { rows } = await db.query(
    `select position, kind, source, line, reason from export.dead_letter where account_id = $1 order by stream_sequence, position`,
    [accountId],
  );
  return deadLetters.parse(rows);
}

describe('facts that can never be applied', () => {
  it('are dead letters with a reason, and do not delay other facts', async () => {
    const own = await operator.createAccount();
    const unfit = [
      survey(0),
      survey(2, { created_at: '2024-02-30T00:00:00Z' }),
      survey(3, { name: { english: 'Pulse' } }),
      survey(4, { import_id: 'a\0b' }),
      survey(5, { timezone: '' }),
      survey(6, { employees_with_access_to_results: [{}] }),
      question(7),
    ];
    await publishFacts(own.accountId, 'survey', [survey(1), ...unfit, survey(8)], { source: 'a file' });
    expect(await surveyIdsOf(own)).toEqual([1, 8]);
    const letters = await deadLettersOf(own);
    expect(letters).toMatchObject(
      unfit.map(({ line }, index) => ({ kind: 'survey', source: 'a file', position: index + 1, line })),
    );
    const reasons = ['id', 'created_at', 'name', 'import_id', 'timezone', 'employees_with_access_to_results', 'other_kind'];
    expect(letters.map(({ reason }) => reason)).toEqual(reasons.map((word) => expect.stringContaining(word)));
  });

  it('are counted by kind', async () => {
    const own = await operator.createAccount();
    const option = { id: 1, name: {}, value: Number.NaN, is_maximum: false, is_minimum: false };
    await publishFacts(own.accountId, 'question', [question(1, { answer_options: [option] }), question(2, { type: '' })]);
    await publishFacts(own.accountId, 'cycle', [cycle('not-a-uuid'), cycle(uuidOf(1), { survey_id: -1 })]);
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: null }), assignment(2, { deleted_at: 'soon' })]);
    await publishFacts(own.accountId, 'initiative', [
      initiative(uuidOf(1), { status: 'paused' }),
      initiative(uuidOf(2), { reminder_settings: ['never'] }),
      initiative(uuidOf(3), { notification_settings: ['on_delete'] }),
      initiative(uuidOf(4), { notes: '\0' }),
    ]);
    const words = ['value', 'type', 'id', 'survey_id', 'employee', 'deleted_at', 'status', 'reminder', 'notification', 'notes'];
    expect((await deadLettersOf(own)).map(({ reason }) => reason)).toEqual(words.map((word) => expect.stringContaining(word)));
    for (const [path, array] of LISTS) expect((await list(stack, own, `/v1/${path}`, array)).totalCount).toBe(0);
  });

  it('may be bytes that are no facts, among others that are', async () => {
    const own = await operator.createAccount();
    const subject = `intake.survey.${own.accountId}`;
    // The id, field 1 of the survey, as a varint of nine bytes: 2^62.
    const large = Buffer.from([0x12, 0x0a, 0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40]);
    const facts = [Buffer.from('not a fact'), Buffer.from(Fact.encode(survey(1)).finish()), large];
    await publishMessage(subject, Buffer.from('no batch at all'));
    await publishMessage(subject, EncodedFactBatch.encode({ account_id: own.accountId, source: 's', facts }).finish());
    expect(await surveyIdsOf(own)).toEqual([1]);
    expect(await deadLettersOf(own)).toMatchObject([
      { position: 0, reason: 'undecodable' },
      { position: 2, reason: 'undecodable' },
    ]);
  });

  it('may be of an account that does not exist, and are not tried again', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId + 1_000, 'survey', [survey(1), survey(0)]);
    await publishFacts(own.accountId, 'survey', [survey(1)]);
    expect(await surveyIdsOf(own)).toEqual([1]);
  });

  it('are ignored when their subject names another account than they do', async () => {
    const [own, other] = [await operator.createAccount(), await operator.createAccount()];
    const facts = [Buffer.from(Fact.encode(survey(1)).finish())];
    const payload = EncodedFactBatch.encode({ account_id: other.accountId, source: 's', facts }).finish();
    await publishMessage(`intake.survey.${own.accountId}`, payload);
    expect([await surveyIdsOf(own), await surveyIdsOf(other)]).toEqual([[], []]);
    await publishMessage(`intake.survey.${other.accountId}`, payload);
    expect(await surveyIdsOf(other)).toEqual([1]);
  });

  it('may be what only the database rejects, which costs none of the others', async () => {
    const own = await operator.createAccount();
    await db.query('alter table export.survey add constraint rejects check (id <> 9013)');
    const surveys = Array.from({ length: 30 }, (_, n) => survey(9_001 + n));
    await publishFacts(own.accountId, 'survey', surveys);
    await db.query('alter table export.survey drop constraint rejects');
    expect(await surveyIdsOf(own)).toHaveLength(29);
    expect(await deadLettersOf(own)).toMatchObject([{ position: 12, line: 9_013, reason: 'database_rejects:23514' }]);
  });
});
