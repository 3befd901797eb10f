import { SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, SURVEY_ASSIGNMENTS_PAGE } from '@survey/export/lists/list-survey-assignments.ts';
import { describe, expect, it } from 'vitest';
import { assignment, openIntake } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { keptPlanOf } from '../support/query-plan.ts';

const { db, operator, stack } = await startFileStack();
const { publishFacts } = await openIntake(stack);
const ASSIGNMENTS = 40_000;
const SURVEYS = 4;
const LIMIT = 1_000;
// Ids covered by one stored count: a page starts within them.
const BLOCK = 2_048;
const { accountId } = await operator.createAccount();
const facts = Array.from({ length: ASSIGNMENTS }, (_, n) =>
  assignment(n + 1, { survey_id: 1 + (n % SURVEYS), employee: { id: 1 + (n % 10_000) } }),
);
await publishFacts(accountId, 'assignment', facts);

describe.each(['without statistics', 'with statistics'])('%s', (kind) => {
  it.each([
    ['of all surveys', SURVEY_ASSIGNMENTS_PAGE, [], 'assignment_pkey', ASSIGNMENTS],
    ['of one survey', SURVEY_ASSIGNMENTS_OF_SURVEY_PAGE, [2], 'assignment_of_survey', ASSIGNMENTS / SURVEYS],
  ])('reads little more assignments %s than the page shows, at any depth', async (_name, statement, survey, index, total) => {
    if (kind === 'with statistics') await db.query('analyze export.assignment, export.assignment_block');
    const planAt = (offset: number) => keptPlanOf(db, accountId, statement, [accountId, offset, LIMIT, ...survey], 'assignment');
    const first = await planAt(0);
    for (const offset of [0, total / 2, total - LIMIT]) {
      const { blocks, scans } = await planAt(offset);
      expect(scans).toMatchObject([{ 'Node Type': 'Index Scan', 'Index Name': index }]);
      expect(scans[0]?.['Actual Rows']).toBeLessThan(LIMIT + BLOCK);
      expect(blocks).toBeLessThanOrEqual(((LIMIT + BLOCK) / LIMIT) * first.blocks);
    }
  });
});
