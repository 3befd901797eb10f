import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { cycle, openIntake, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { describeListConventions, list } from '../support/list-conventions.ts';

const stack = await shareStack();
const { api, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
const account = await operator.createAccount();
await publishFacts(account.accountId, 'survey', [survey(1)]);
await publishFacts(
  account.accountId,
  'cycle',
  Array.from({ length: 250 }, (_, index) => cycle(uuidOf(index))),
);

const cyclesOf = (own: typeof account, query = '') => list(stack, own, `/v1/survey_cycles${query}`, 'cycles');
const idsOf = async (own: typeof account, query = '') => (await cyclesOf(own, query)).rows.map(({ id }) => id);

describeListConventions(stack, { path: '/v1/survey_cycles', array: 'cycles', account, identityOf: ({ id }) => id });

describe('200', () => {
  it('has the fields of a cycle in the order of the contract, times in UTC and the time zone of its survey [LISTS-ENVELOPE-1, DATETIMES-FORMAT-3]', async () => {
    const own = await operator.createAccount();
    const opened_at = '2024-06-01T00:00:00+02:00';
    await publishFacts(own.accountId, 'survey', [survey(1, { timezone: 'Europe/Berlin' })]);
    await publishFacts(own.accountId, 'cycle', [cycle('12345678-1234-1234-1234-12345678ABCD', { opened_at })]);
    expect(JSON.stringify((await api.get('/v1/survey_cycles', own.readKey)).body)).toBe(
      '{"total_count":1,"cycles":[{"id":"12345678-1234-1234-1234-12345678abcd","survey_id":1,' +
        '"opened_at":"2024-05-31T22:00:00Z","closed_at":null,"timezone":"Europe/Berlin"}]}',
    );
  });

  it('is newest first by opened_at, by id among equals; an open one has closed_at null [CYCLES-LIST-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(1)]);
    await publishFacts(own.accountId, 'cycle', [
      cycle(uuidOf(1), { opened_at: '2024-01-01T00:00:00Z', closed_at: '2024-01-31T00:00:00Z' }),
      cycle(uuidOf(4), { opened_at: '2024-02-01T00:00:00.000001Z' }),
      cycle(uuidOf(3), { opened_at: '2024-02-01T00:00:00Z' }),
      cycle(uuidOf(2), { opened_at: '2024-02-01T01:00:00+01:00' }),
    ]);
    const { rows } = await cyclesOf(own);
    expect(rows.map(({ id }) => id)).toEqual([4, 2, 3, 1].map(uuidOf));
    expect(rows.map((row) => row['closed_at'])).toEqual([null, null, null, '2024-01-31T00:00:00Z']);
  });

  it('lists a cycle as soon as its survey is known, and counts it then', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'cycle', [cycle(uuidOf(1), { survey_id: 9 })]);
    expect(await cyclesOf(own)).toMatchObject({ totalCount: 0, rows: [] });
    await publishFacts(own.accountId, 'survey', [survey(9, { timezone: 'Asia/Tokyo' })]);
    expect(await cyclesOf(own)).toMatchObject({ totalCount: 1, rows: [{ survey_id: 9, timezone: 'Asia/Tokyo' }] });
  });

  it('has every cycle on one page of its own, whichever pages were read before [CYCLES-LIST-1, LISTS-PAGING-1]', async () => {
    const own = await operator.createAccount();
    const cycles = Array.from({ length: 2_500 }, (_, nth) => ({
      // Ids in another order, and up to 600 that opened together.
      id: uuidOf((nth * 1_009) % 2_500),
      survey_id: 1 + (nth % 3),
      opened_at: `2024-01-0${1 + (nth % 2) * (nth % 5)}T00:00:00.${String(nth % 2).padStart(6, '0')}Z`,
    }));
    const facts = cycles.map(({ id, ...more }) => cycle(id, more));
    await publishFacts(own.accountId, 'survey', [survey(1), survey(2)]);
    await publishFacts(own.accountId, 'cycle', facts);
    const listed = (surveys: readonly number[], newest: readonly string[] = []): string[] => [
      ...newest,
      ...cycles
        .filter(({ id, survey_id }) => surveys.includes(survey_id) && !newest.includes(id))
        .sort((one, other) => other.opened_at.localeCompare(one.opened_at) || one.id.localeCompare(other.id))
        .map(({ id }) => id),
    ];
    const expectPages = async (expected: readonly string[], query = ''): Promise<void> => {
      for (const [limit, offset] of [
        [7, 997],
        [1_000, 0],
        [1_000, 1_000],
        [1_000, 2_000],
        [333, 777],
        [1, 9_999],
      ] as const) {
        const { totalCount, rows } = await cyclesOf(own, `?limit=${limit}&offset=${offset}${query}`);
        expect(totalCount).toBe(expected.length);
        expect(rows.map(({ id }) => id)).toEqual(expected.slice(offset, offset + limit));
      }
    };
    await expectPages(listed([1, 2]));
    await expectPages(listed([2]), '&survey_id=2');

    await publishFacts(own.accountId, 'survey', [survey(3)]);
    await expectPages(listed([1, 2, 3]));

    await publishFacts(own.accountId, 'cycle', [cycle(uuidOf(7), { survey_id: 2, opened_at: '2025-01-01T00:00:00Z' }, 2)]);
    await expectPages(listed([1, 2, 3], [uuidOf(7)]));
  });

  it('filters by survey_id, and one that nothing has is no fault [LISTS-ENVELOPE-2, LISTS-FILTERS-1, AUTH-TENANCY-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(1), survey(2)]);
    await publishFacts(own.accountId, 'cycle', [cycle(uuidOf(1)), cycle(uuidOf(2), { survey_id: 2 }), cycle(uuidOf(3))]);
    expect(await idsOf(own, '?survey_id=1')).toEqual([uuidOf(1), uuidOf(3)]);
    expect((await cyclesOf(own, '?survey_id=2&limit=0')).totalCount).toBe(1);
    for (const id of ['999999', '99999999999', '9007199254740991', '0', '-1']) {
      expect(await cyclesOf(own, `?survey_id=${id}`)).toMatchObject({ totalCount: 0, rows: [] });
    }
  });
});

describe('400', () => {
  it.each(['abc', '', '1.5', '1e3', '99999999999999999999', '1,2', '%201'])(
    'rejects survey_id=%s [LISTS-FILTERS-1]',
    async (id) => {
      const { errors } = expectProblem(await api.get(`/v1/survey_cycles?survey_id=${id}`, account.readKey), 400);
      expect(errors).toMatchObject([{ parameter: 'survey_id' }]);
    },
  );
});
