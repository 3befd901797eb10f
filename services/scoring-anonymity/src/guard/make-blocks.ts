import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import { formBlocks, reasonWithheld } from '../rules/disclosure-guard.ts';
import { copyCycleAnswers, readBlockQuestions, readMembers, type CycleScope } from '../sql/cycle-answers.ts';
import { nextCycle, saveBlock, saveJudged, settleCycles, type NewBlock } from '../sql/make-blocks.ts';
import { AnswerCount, Members, type FreeGroup } from './count-answers.ts';

// Cycles settle hours after they close, so a minute more does not matter.
const POLL_MS = 60_000;
const MAX_STATEMENT_MS = 60_000;

/**
 * Creates the account work that makes blocks of answers for the disclosure guard, when cycles
 * settle and when late answers arrive (docs/rules/guard.md). Accounts without the guard have none.
 */
export function blockWork(pool: Pool): AccountWork {
  return {
    kind: 'blocks',
    wokenBy: 'events.settings.changed',
    sweep: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_guard() as id');
      return rows.map(({ id }) => id);
    },
    work: (accountId) => inAccount(pool, accountId, (tx) => makeBlocks(tx, accountId)),
  };
}

/** Makes the blocks of one cycle. Returns as AccountWork.work does. */
export async function makeBlocks(tx: Client, accountId: number): Promise<number | undefined> {
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const settled = await settleCycles(tx, accountId);
  if (settled === undefined) return undefined;
  const cycleId = await nextCycle(tx, accountId, settled);
  if (cycleId === undefined) return POLL_MS;
  const cycle = { ...settled, accountId, cycleId, nextResponse: settled.responses };
  const withheld = { too_few: 0, dominated: 0, late: 0 };
  for (const count of await countAnswers(tx, cycle)) {
    const groups = count.groups();
    const { id: questionId, configuredThreshold } = count.question;
    const blocks = formBlocks(configuredThreshold, groups);
    for (const indexes of blocks)
      await saveBlock(tx, { ...cycle, questionId }, blockOf(indexes.flatMap((index) => groups[index] ?? [])));
    if (blocks.length === 0 && groups.length > 0)
      withheld[count.isLate ? 'late' : reasonWithheld(configuredThreshold, groups)] += 1;
  }
  await saveJudged(tx, { ...cycle, ...withheld });
  return 0;
}

interface Cycle extends CycleScope {
  // Number of respondents of the account.
  readonly respondents: number;
}

/** Counts the answers of a cycle that are in no block, for each question. */
async function countAnswers(tx: Client, cycle: Cycle): Promise<AnswerCount[]> {
  const members = new Members(await readMembers(tx, cycle), cycle.respondents);
  const questions = new Map((await readBlockQuestions(tx, cycle)).map((question) => [question.id, question]));
  const counts = new Map<number, AnswerCount>();
  await copyCycleAnswers(tx, cycle, (response, questionId, respondent, choice) => {
    let count = counts.get(questionId);
    if (count === undefined) {
      const question = questions.get(questionId);
      // Its blocks are made when the question is known.
      if (question === undefined) return;
      counts.set(questionId, (count = new AnswerCount(question, members)));
    }
    count.add(response, respondent, choice);
  });
  return [...counts.values()];
}

function blockOf(groups: readonly FreeGroup[]): NewBlock {
  const choices = new Map<number, number>();
  for (const group of groups)
    for (const [choice, answers] of group.choices) choices.set(choice, (choices.get(choice) ?? 0) + answers);
  return {
    respondents: groups.flatMap(({ ordinals }) => ordinals).sort((a, b) => a - b),
    choices: [...choices],
    optionGroups: groups.map(({ optionIds }) => optionIds),
  };
}
