import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { assignment, openIntake } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';

const stack = await shareStack();
const { api, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
const account = await operator.createAccount();
// Dense and sparse ids: in one block of the counts, in several, and in several large ones.
const idOf = (n: number): number => n * (n % 3 === 0 ? 1 : n % 3 === 1 ? 5_000 : 30_000_000_000);
const ids = Array.from({ length: 250 }, (_, n) => idOf(n + 1));
await publishFacts(
  account.accountId,
  'assignment',
  ids.map((id, n) => assignment(id, { survey_id: 1 + (n % 5) })),
);
ids.sort((one, other) => one - other);

const assignmentsOf = (own: typeof account, query = '') =>
  list(stack, own, `/v1/survey_assignments${query}`, 'survey_assignments');
const idsOf = async (own: typeof account, query = '') => (await assignmentsOf(own, query)).rows.map(({ id }) => id);

describeListConventions(stack, {
  path: '/v1/survey_assignments',
  array: 'survey_assignments',
  account,
  identityOf: ({ id }) => id,
});

describe('200', () => {
  it('has the fields of an assignment in the order of the contract, and includes ended ones [LISTS-ENVELOPE-1, ASSIGNMENTS-LIST-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'assignment', [
      assignment(7, { survey_id: 3, employee: { id: 12 }, created_at: '2024-01-01T00:00:00.100+01:00' }),
      assignment(5, { deleted_at: '2024-02-01T00:00:00Z' }),
    ]);
    expect(JSON.stringify((await api.get('/v1/survey_assignments', own.readKey)).body)).toBe(
      '{"total_count":2,"survey_assignments":[' +
        '{"id":5,"survey_id":1,"created_at":"2024-01-01T00:00:00Z","deleted_at":"2024-02-01T00:00:00Z","employee_id":1},' +
        '{"id":7,"survey_id":3,"created_at":"2023-12-31T23:00:00.1Z","deleted_at":null,"employee_id":12}]}',
    );
  });

  it('starts at every offset where a walk over all of them would [LISTS-PAGING-1]', async () => {
    expect(await idsOf(account, '?limit=1000')).toEqual(ids);
    for (const offset of Array.from({ length: 251 }, (_, n) => n)) {
      expect(await idsOf(account, `?limit=2&offset=${offset}`)).toEqual(ids.slice(offset, offset + 2));
    }
  });

  it('filters by survey_id and counts what matches [LISTS-ENVELOPE-2]', async () => {
    const ofThird = (await assignmentsOf(account, '?limit=1000')).rows.filter((row) => row['survey_id'] === 3);
    expect(ofThird).toHaveLength(50);
    for (const offset of [0, 1, 17, 48, 49, 50]) {
      const { totalCount, rows } = await assignmentsOf(account, `?survey_id=3&offset=${offset}&limit=3`);
      expect(totalCount).toBe(50);
      expect(rows).toEqual(ofThird.slice(offset, offset + 3));
    }
  });

  it('returns an empty list for a survey without assignments [LISTS-FILTERS-1]', async () => {
    for (const id of ['999999', '99999999999', '9007199254740991', '0', '-1']) {
      expect(await assignmentsOf(account, `?survey_id=${id}`)).toMatchObject({ totalCount: 0, rows: [] });
    }
  });

  it('responds for a survey of another account as for one that does not exist [AUTH-TENANCY-1]', async () => {
    const other = await operator.createAccount();
    const [existing, unknown] = await Promise.all(
      [1, 999_999].map((id) => api.get(`/v1/survey_assignments?survey_id=${id}`, other.readKey)),
    );
    expect(existing?.body).toEqual(unknown?.body);
    expect((await assignmentsOf(other)).totalCount).toBe(0);
  });

  it('counts an assignment where a later fact moves it, whatever order and repetition', async () => {
    const own = await operator.createAccount();
    const moved = assignment(1, { survey_id: 2, employee: { id: 9 } }, 2);
    for (const facts of [[assignment(1), assignment(2)], [moved], [assignment(1)], [moved, assignment(2)]]) {
      await publishFacts(own.accountId, 'assignment', facts);
    }
    expect(await assignmentsOf(own)).toMatchObject({ totalCount: 2, rows: [{ id: 1, survey_id: 2, employee_id: 9 }, { id: 2 }] });
    expect(await assignmentsOf(own, '?survey_id=1')).toMatchObject({ totalCount: 1, rows: [{ id: 2 }] });
    expect(await assignmentsOf(own, '?survey_id=2')).toMatchObject({ totalCount: 1, rows: [{ id: 1 }] });
  });

  it('takes total_count and page from one snapshot while assignments are written [LISTS-ENVELOPE-3]', async () => {
    const own = await operator.createAccount();
    const facts = Array.from({ length: 300 }, (_, n) => assignment(n * 999 + 1));
    let done = false;
    const writing = publishFacts(own.accountId, 'assignment', facts, { batch: 5 }).finally(() => (done = true));
    while (!done) {
      const { totalCount, rows } = await assignmentsOf(own, '?limit=1000');
      expect(rows).toHaveLength(totalCount);
    }
    await writing;
    expect((await assignmentsOf(own, '?limit=1000')).rows).toHaveLength(300);
  });
});

describe('400', () => {
  it.each(['abc', '', '1.5', '0x10', '99999999999999999999', '1,2', '%2B1'])(
    'rejects survey_id=%s [LISTS-FILTERS-1]',
    async (id) => {
      const { errors } = expectProblem(await api.get(`/v1/survey_assignments?survey_id=${id}`, account.readKey), 400);
      expect(errors).toMatchObject([{ parameter: 'survey_id' }]);
    },
  );
});
