import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { openIntake, survey } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';
import { records } from '../support/records.ts';

const stack = await shareStack();
const { api, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
const account = await operator.createAccount();
await publishFacts(
  account.accountId,
  'survey',
  Array.from({ length: 250 }, (_, index) => survey(index + 1)),
);

const surveysOf = (own: typeof account, query = '') => list(stack, own, `/v1/surveys${query}`, 'surveys');
const idsOf = async (own: typeof account, query: string) => (await surveysOf(own, query)).rows.map(({ id }) => id);

describeListConventions(stack, { path: '/v1/surveys', array: 'surveys', account, identityOf: ({ id }) => id });

describe('200', () => {
  it('has the fields of a survey in the order of the contract, null where nothing is stated [LISTS-ENVELOPE-1, SURVEYS-LIST-2]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(7, { name: { en: 'Pulse', de: 'Puls' } })]);
    expect(JSON.stringify((await api.get('/v1/surveys', own.readKey)).body)).toBe(
      '{"total_count":1,"surveys":[{"id":7,"import_id":null,"name":{"de":"Puls","en":"Pulse"},"frequency":"monthly",' +
        '"created_at":"2024-01-01T00:00:00Z","start_at":null,"end_at":null,"archived_at":null,"current_survey_ends_at":null,' +
        '"next_survey_starts_at":null,"is_archived":false,"is_deactivated":false,' +
        '"permissions":{"employees_with_access_to_results":[]},"survey_properties":[]}]}',
    );
  });

  it('has start_at null for a survey that started on created_at, also where that is stated [SURVEYS-LIST-2]', async () => {
    const own = await operator.createAccount();
    const started = { created_at: '2024-01-01T00:00:00Z', start_at: '2024-01-01T01:00:00+01:00' };
    await publishFacts(own.accountId, 'survey', [survey(7, started)]);
    const { body } = await api.get('/v1/surveys', own.readKey);
    expect(body).toMatchObject({ surveys: [{ created_at: '2024-01-01T00:00:00Z', start_at: null }] });
  });

  it('returns all stored values, with times in UTC', async () => {
    const own = await operator.createAccount();
    const property = {
      id: 3,
      name: 'Area',
      survey_property_options: [
        { id: 9, name: 'Culture' },
        { id: 4, name: 'Pay' },
      ],
    };
    const stated = {
      import_id: 'S-1',
      name: { de: '"Wie geht’s?" 😀' },
      frequency: 'every other blue moon',
      created_at: '2024-01-01T01:00:00.123456+01:00',
      start_at: '2024-01-02T00:00:00Z',
      end_at: '2024-12-31t23:59:59.5z',
      archived_at: '2025-01-01T00:00:00-08:00',
      current_survey_ends_at: '2016-12-31T23:59:60Z',
      next_survey_starts_at: '0001-01-01T00:00:00.000001Z',
      is_archived: true,
      is_deactivated: true,
      survey_properties: [property],
    };
    await publishFacts(own.accountId, 'survey', [survey(9_007_199_254_740_991, stated)]);
    const { rows } = await surveysOf(own);
    expect(rows).toEqual([
      {
        ...stated,
        id: 9_007_199_254_740_991,
        created_at: '2024-01-01T00:00:00.123456Z',
        end_at: '2024-12-31T23:59:59.5Z',
        archived_at: '2025-01-01T08:00:00Z',
        current_survey_ends_at: '2017-01-01T00:00:00Z',
        permissions: { employees_with_access_to_results: [] },
      },
    ]);
  });

  it('lists the employees that may see results by id, and managed employees once they are known [SURVEYS-LIST-3]', async () => {
    const own = await operator.createAccount();
    const employees_with_access_to_results = [{ import_id: 'E2' }, { id: 77 }, { import_id: 'E9' }, { id: 5 }, { id: 77 }];
    await publishFacts(own.accountId, 'survey', [survey(1, { employees_with_access_to_results })]);
    const access = async () => (await surveysOf(own)).rows[0]?.['permissions'];
    expect(await access()).toEqual({ employees_with_access_to_results: [5, 77] });
    await stack.importAndWait(own, records(1, 2));
    expect(await access()).toEqual({ employees_with_access_to_results: [5, 77, 1_000_000_001] });
  });

  it('filters by is_archived exactly, deactivated ones aside [SURVEYS-LIST-1, LISTS-ENVELOPE-2]', async () => {
    const own = await operator.createAccount();
    const surveys = Array.from({ length: 10 }, (_, n) => survey(n + 1, { is_archived: n >= 7, is_deactivated: n % 2 === 0 }));
    await publishFacts(own.accountId, 'survey', surveys);
    expect(await surveysOf(own, '?is_archived=true&limit=1')).toMatchObject({ totalCount: 3, rows: [{ id: 8 }] });
    expect(await idsOf(own, '?is_archived=false')).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await surveysOf(own)).totalCount).toBe(10);
  });

  describe('created_after', async () => {
    const own = await operator.createAccount();
    const times = ['2023-12-31T21:59:59.999999Z', '2023-12-31T22:00:00Z', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.123456Z'];
    await publishFacts(own.accountId, 'survey', [
      ...times.map((created_at, index) => survey(index + 1, { created_at })),
      survey(5, { created_at: '2017-01-01T00:00:00Z' }),
    ]);
    it.each([
      ['at or after [DATETIMES-FORMAT-1, DATETIMES-BOUNDS-1]', '2024-01-01T00:00:00Z', [3, 4]],
      ['with an offset [DATETIMES-FORMAT-3]', '2024-01-01T00:00:00%2B02:00', [2, 3, 4]],
      ['in lower case [DATETIMES-FORMAT-1]', '2024-01-01t00:00:00z', [3, 4]],
      ['a leap second [DATETIMES-FORMAT-4]', '2016-12-31T23:59:60Z', [1, 2, 3, 4, 5]],
      ['the second after the leap second [DATETIMES-FORMAT-4]', '2017-01-01T00:00:00.000001Z', [1, 2, 3, 4]],
      ['cut off at microseconds [DATETIMES-FORMAT-5]', '2024-01-01T00:00:00.123456789Z', [4]],
      ['at microseconds [DATETIMES-FORMAT-5]', '2024-01-01T00:00:00.123457Z', []],
      ['an unknown offset [DATETIMES-FORMAT-1]', '2024-01-01T00:00:00-00:00', [3, 4]],
    ])('%s: %s', async (_id, time, ids) => {
      expect(await idsOf(own, `?created_after=${time}`)).toEqual(ids);
      expect((await surveysOf(own, `?created_after=${time}&limit=0`)).totalCount).toBe(ids.length);
    });
  });

  it('shows nothing of another account [AUTH-TENANCY-1]', async () => {
    expect(await surveysOf(await operator.createAccount())).toMatchObject({ totalCount: 0, rows: [] });
  });

  it('takes total_count and page from one snapshot while surveys are written [LISTS-ENVELOPE-3]', async () => {
    const own = await operator.createAccount();
    const writing = publishFacts(
      own.accountId,
      'survey',
      Array.from({ length: 200 }, (_, n) => survey(n + 1)),
      { batch: 4 },
    );
    let done = false;
    void writing.finally(() => (done = true));
    while (!done) {
      const { totalCount, rows } = await surveysOf(own, '?limit=1000');
      expect(rows).toHaveLength(totalCount);
    }
    await writing;
    expect((await surveysOf(own)).totalCount).toBe(200);
  });
});

describe('400', () => {
  it.each([
    ['LISTS-BOOLEANS-1', 'is_archived=1'],
    ['LISTS-BOOLEANS-1', 'is_archived=TRUE'],
    ['LISTS-BOOLEANS-1', 'is_archived=yes'],
    ['LISTS-BOOLEANS-1', 'is_archived='],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01'],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01T00:00:00'],
    ['DATETIMES-FORMAT-2', 'created_after=2024-02-30T00:00:00Z'],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01%2000:00:00Z'],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01T00:00:00+02:00'],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01T00:00Z'],
    ['DATETIMES-FORMAT-2', 'created_after=2024-01-01T24:00:00Z'],
    ['DATETIMES-FORMAT-1', 'created_after=2024-01-01T00:00:00%2B25:00'],
    ['DATETIMES-FORMAT-6', 'created_after=2024-01-01T00:00:00Z&created_after=2024-01-01T00:00:00Z'],
    ['DATETIMES-FORMAT-6', 'created_after=2024-01-01T00:00:00%FF'],
    ['ERRORS-QUERY-2', 'created_after='],
    ['ERRORS-QUERY-1', 'survey_id=1'],
  ])('rejects $1 and names the parameter [$0]', async (_id, query) => {
    const { errors } = expectProblem(await api.get(`/v1/surveys?${query}`, account.readKey), 400);
    expect(errors).toContainEqual(expect.objectContaining({ parameter: query.slice(0, query.indexOf('=')) }));
  });
});
