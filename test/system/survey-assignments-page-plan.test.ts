import { SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, SURVEY_ASSIGNMENTS_PAGE } from '@survey/export/lists/list-survey-assignments.ts';
import { describe, expect, it } from 'vitest';
import { assignment, openIntake } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { keptPlanOf } from '../support/query-plan.ts';

const stack = await startFileStack();
const { api, db, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);
const ASSIGNMENTS = 200_000;
const SURVEYS = 4;
const LIMIT = 1_000;
// Ids covered by one stored count: a page starts within them.
const BLOCK = 2_048;
const account = await operator.createAccount();
const { accountId } = account;
const facts = Array.from({ length: ASSIGNMENTS }, (_, n) =>
  assignment(n + 1, { survey_id: 1 + (n % SURVEYS), employee: { id: 1 + (n % 50_000) } }),
);
await publishFacts(accountId, 'assignment', facts);

describe.each(['without statistics', 'with statistics'])('%s', (kind) => {
  it.each([
    ['of all surveys', SURVEY_ASSIGNMENTS_PAGE, [], 'assignment_pkey', ASSIGNMENTS],
    ['of one survey', SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, [2], 'assignment_of_survey', ASSIGNMENTS / SURVEYS],
  ])('reads little more assignments %s than the page shows, at any depth', async (_name, statement, survey, index, total) => {
    if (kind === 'with statistics') await db.query('analyze export.assignment, export.assignment_block');
    for (const offset of [0, total / 2, total - LIMIT]) {
      const { scans } = await keptPlanOf(db, accountId, statement, [accountId, offset, LIMIT, ...survey], 'assignment');
      expect(scans).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': index }]);
      expect(scans[0]?.['Actual Rows']).toBeLessThan(LIMIT + BLOCK);
    }
  });
});

it('takes at most 1.5 times as long at offset 190,000 as at the beginning', async () => {
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < 60; n++) {
    for (const [index, offset] of [0, 190_000].entries()) {
      const started = performance.now();
      await api.get(`/v1/survey_assignments?limit=1000&offset=${offset}`, account.readKey);
      times[index]?.push(performance.now() - started);
    }
  }
  const [first = 0, deep = 0] = times.map((each) => each.sort((one, other) => one - other)[10]);
  process.stdout.write(`offset 0: ${first.toFixed(2)} ms, offset 190,000: ${deep.toFixed(2)} ms\n`);
  expect(deep / first).toBeLessThan(1.5);
});
