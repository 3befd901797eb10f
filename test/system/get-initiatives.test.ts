import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';
import { R, records } from '../support/records.ts';

const stack = await shareStack();
const { api, db, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
// All created at one moment.
const account = await operator.createAccount();
await publishFacts(
  account.accountId,
  'initiative',
  Array.from({ length: 250 }, (_, index) => initiative(uuidOf(250 - index))),
);

const initiativesOf = (own: typeof account, query = '') => list(stack, own, `/v1/initiatives${query}`, 'initiatives');
const uuidsOf = async (own: typeof account, query = '') => (await initiativesOf(own, query)).rows.map(({ uuid }) => uuid);

describeListConventions(stack, { path: '/v1/initiatives', array: 'initiatives', account, identityOf: ({ uuid }) => uuid });

describe('200', () => {
  it('has the fields of an initiative in the order of the contract, null or empty where nothing is stated [LISTS-ENVELOPE-1, INITIATIVES-LIST-2]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'initiative', [initiative('12345678-1234-1234-1234-12345678ABCD')]);
    expect(JSON.stringify((await api.get('/v1/initiatives', own.readKey)).body)).toBe(
      '{"total_count":1,"initiatives":[{"uuid":"12345678-1234-1234-1234-12345678abcd","title":"Better coffee","status":"draft",' +
        '"survey":null,"questions":[],"assignee":null,"creator":null,"notes":"","completion_date":null,' +
        '"created_at":"2024-01-01T00:00:00Z","updated_at":null,"is_private":false,"reminder_settings":[],"notification_settings":[]}]}',
    );
  });

  it('returns survey, questions and people as they are now, private ones included [INITIATIVES-LIST-4, LISTS-NAMES-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(1, { name: { de: 'Puls' } })]);
    await publishFacts(own.accountId, 'question', [question(5), question(4, { is_deleted: true })]);
    await stack.importAndWait(own, records(1, 1));
    const creatorId = await arrangeEmployee(db, own.accountId, { email: 'boss@x.io', firstname: null, lastname: 'Boss' });
    const stated = {
      title: 'Mehr Tee',
      status: 'in_progress',
      notes: 'Two\nlines',
      completion_date: '2024-12-24T18:00:00Z',
      updated_at: '2024-02-01T00:00:00Z',
      is_private: true,
      reminder_settings: ['three_days_before', 'same_day'],
      notification_settings: ['on_update', 'on_create'],
    };
    const references = { survey_id: 1, question_ids: [5, 4, 999], assignee: { import_id: 'E1' }, creator: { id: creatorId } };
    await publishFacts(own.accountId, 'initiative', [initiative(uuidOf(1), { ...stated, ...references })]);
    expect((await initiativesOf(own)).rows).toEqual([
      {
        uuid: uuidOf(1),
        created_at: '2024-01-01T00:00:00Z',
        ...stated,
        survey: { id: 1, name: { de: 'Puls' } },
        questions: [
          { id: 5, name: { en: 'Question 5' } },
          { id: 4, name: { en: 'Question 4' } },
        ],
        assignee: { employee_id: 1_000_000_000, firstname: 'F1', lastname: 'L1' },
        creator: { employee_id: creatorId, firstname: null, lastname: 'Boss' },
      },
    ]);
  });

  it('shows what it refers to as soon as it comes', async () => {
    const own = await operator.createAccount();
    const references = { survey_id: 1, question_ids: [2], assignee: { import_id: 'E1' }, creator: { id: 1_000_000_000 } };
    await publishFacts(own.accountId, 'initiative', [initiative(uuidOf(1), references)]);
    expect((await initiativesOf(own)).rows).toMatchObject([{ survey: null, questions: [], assignee: null, creator: null }]);
    await publishFacts(own.accountId, 'survey', [survey(1)]);
    await publishFacts(own.accountId, 'question', [question(2)]);
    await stack.importAndWait(own, records(1, 1));
    expect((await initiativesOf(own)).rows).toMatchObject([
      { survey: { id: 1 }, questions: [{ id: 2 }], assignee: { lastname: 'L1' }, creator: { lastname: 'L1' } },
    ]);
  });

  it('returns null for people who were deleted [INITIATIVES-LIST-2]', async () => {
    const own = await operator.createAccount({ threshold: '100' });
    await stack.importAndWait(own, records(1, 2));
    const people = { assignee: { import_id: 'E2' }, creator: { id: 1_000_000_001 } };
    await publishFacts(own.accountId, 'initiative', [initiative(uuidOf(1), people)]);
    expect((await initiativesOf(own)).rows).toMatchObject([{ assignee: { lastname: 'L2' }, creator: { lastname: 'L2' } }]);
    await stack.importAndWait(own, [R(1)]);
    expect((await initiativesOf(own)).rows).toMatchObject([{ assignee: null, creator: null }]);
  });

  it('is newest first by created_at, by uuid among equals [INITIATIVES-LIST-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'initiative', [
      initiative(uuidOf(1)),
      initiative(uuidOf(9), { created_at: '2024-01-01T00:00:00.000001Z' }),
      initiative(uuidOf(3), { created_at: '2024-01-01T01:00:00+01:00' }),
      initiative(uuidOf(2)),
    ]);
    expect(await uuidsOf(own)).toEqual([9, 1, 2, 3].map(uuidOf));
  });

  it('filters by status and counts what matches [INITIATIVES-LIST-3, LISTS-ENVELOPE-2]', async () => {
    const own = await operator.createAccount();
    const statuses = ['draft', 'defined', 'in_progress', 'completed', 'draft'];
    await publishFacts(
      own.accountId,
      'initiative',
      statuses.map((status, index) => initiative(uuidOf(index), { status })),
    );
    expect(await uuidsOf(own, '?status=draft')).toEqual([0, 4].map(uuidOf));
    for (const status of ['defined', 'in_progress', 'completed']) {
      expect(await initiativesOf(own, `?status=${status}`)).toMatchObject({ totalCount: 1, rows: [{ status }] });
    }
    expect((await initiativesOf(own, '?status=draft&limit=0')).totalCount).toBe(2);
  });

  it('shows nothing of another account [AUTH-TENANCY-1]', async () => {
    expect((await initiativesOf(await operator.createAccount())).totalCount).toBe(0);
  });
});

describe('400', () => {
  it.each(['foo', 'draft,defined', '', 'Draft', 'draft%20'])('rejects status=%s [INITIATIVES-LIST-3]', async (status) => {
    const { errors } = expectProblem(await api.get(`/v1/initiatives?status=${status}`, account.readKey), 400);
    expect(errors).toMatchObject([{ parameter: 'status' }]);
  });
});
