import { isDeepStrictEqual } from 'node:util';
import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import {
  markChangedCycles,
  nextCycle,
  readFreeAnswers,
  saveBlock,
  saveJudged,
  type FreeAnswer,
  type JudgedCycle,
} from './block-statements.ts';
import { readGuardSettings } from '../tables/settings.ts';

// Two SQL statements when scoring-anonymity has settled no cycle.
const POLL_MS = 10_000;
const MAX_STATEMENT_MS = 60_000;
const DECISION_TIMEOUT_MS = 5_000;

interface BlockContext {
  readonly pool: Pool;
  readonly scoring: Pick<Upstream<ScoringServiceDefinition>, 'formTextBlocks'>;
}

/**
 * Creates the account work that makes blocks of texts for the disclosure guard, of the cycles that
 * scoring-anonymity has settled (docs/rules/guard.md). Accounts without the guard have none.
 */
export function textBlockWork(context: BlockContext): AccountWork {
  return {
    kind: 'blocks',
    wokenBy: 'events.settings.changed',
    sweep: async (pool) => {
      const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_guard() as id');
      return rows.map(({ id }) => id);
    },
    work: (accountId) => makeTextBlocks(accountId, context),
  };
}

/** A cycle of which blocks can be made, and all that decides which. */
interface Judgeable {
  readonly cycle: JudgedCycle;
  readonly free: readonly FreeAnswer[];
}

/**
 * Makes the blocks of one cycle. Returns as AccountWork.work does. Scoring-anonymity decides while
 * no transaction is open; if the cycle has changed by then, it is asked again.
 */
export async function makeTextBlocks(accountId: number, { pool, scoring }: BlockContext): Promise<number | undefined> {
  const judgeable = await inAccount(pool, accountId, (tx) => readJudgeable(tx, accountId));
  if (typeof judgeable !== 'object') return judgeable;
  const { cycle, free } = judgeable;
  const blocks = await blocksOf(free, cycle, accountId, scoring);
  return inAccount(pool, accountId, async (tx) => {
    if (isDeepStrictEqual(await readJudgeable(tx, accountId), judgeable)) await saveBlocks(tx, accountId, judgeable, blocks);
    return 0;
  });
}

async function readJudgeable(tx: Client, accountId: number): Promise<Judgeable | number | undefined> {
  const settings = await readGuardSettings(tx, accountId);
  if (settings?.disclosure_guard !== 'strict') return undefined;
  const masking = maskingOf(settings);
  if (masking === 'withheld') return POLL_MS;
  const policy = masking === 'verbatim' ? null : masking.policy;
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  await lockAccountState(tx, accountId);
  await markChangedCycles(tx, accountId);
  const cycle = await nextCycle(tx, accountId, policy);
  if (cycle === undefined) return POLL_MS;
  const attributeId = settings.text_filter_attribute_id;
  return { cycle, free: await readFreeAnswers(tx, { accountId, cycle, attributeId, policy }) };
}

async function saveBlocks(tx: Client, accountId: number, { cycle, free }: Judgeable, blocks: readonly NewBlock[]): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  state.sequence += 1;
  for (const block of blocks) {
    await saveBlock(tx, { accountId, ...block, ordinal: state.blocks, cycle, sequence: state.sequence });
    state.blocks += 1;
  }
  await saveAccountState(tx, accountId, state);
  const released = new Set(blocks.map(({ questionId }) => questionId));
  const withheld = new Set(free.flatMap(({ questionId }) => (released.has(questionId) ? [] : [questionId])));
  await saveJudged(tx, accountId, cycle, withheld.size);
}

/** Respondents of a cell with the same options of the filter attribute. */
interface Group {
  readonly optionIds: readonly number[];
  readonly respondents: number;
  readonly answers: readonly number[];
  readonly mostAnswers: number;
}

interface NewBlock {
  readonly questionId: number;
  readonly optionGroups: readonly (readonly number[])[];
  readonly answers: readonly number[];
}

async function blocksOf(
  free: readonly FreeAnswer[],
  { surveyId }: JudgedCycle,
  accountId: number,
  scoring: BlockContext['scoring'],
): Promise<NewBlock[]> {
  const cells = [...Map.groupBy(free, ({ questionId }) => questionId)].map(([questionId, answers]) => ({
    questionId,
    groups: groupsOf(answers),
  }));
  if (cells.length === 0) return [];
  const counts = cells.map(({ groups }) => ({
    groups: groups.map(({ respondents, answers, mostAnswers }) => ({
      respondents,
      answers: answers.length,
      most_answers: mostAnswers,
    })),
  }));
  const options = { caller: { requestId: crypto.randomUUID(), accountId }, deadlineMs: DECISION_TIMEOUT_MS };
  const decided = await scoring.formTextBlocks({ survey_id: surveyId, cells: counts }, options);
  return cells.flatMap(({ questionId, groups }, index) =>
    (decided.cells[index]?.blocks ?? []).map((block) => {
      const members = block.groups.flatMap((group) => groups[group] ?? []);
      return {
        questionId,
        optionGroups: members.map(({ optionIds }) => optionIds),
        answers: members.flatMap(({ answers }) => answers),
      };
    }),
  );
}

// A respondent whose options have changed within the cycle is in one group, by the options of their
// first answer.
function groupsOf(answers: readonly FreeAnswer[]): Group[] {
  const respondents = [...Map.groupBy(answers, ({ respondent }) => respondent).values()];
  const optionsOf = (answersOfOne: readonly FreeAnswer[]): readonly number[] => answersOfOne[0]?.optionIds ?? [];
  return [...Map.groupBy(respondents, (answersOfOne) => optionsOf(answersOfOne).join()).values()].map((members) => ({
    optionIds: optionsOf(members[0] ?? []),
    respondents: members.length,
    answers: members.flatMap((answersOfOne) => answersOfOne.map(({ id }) => id)),
    mostAnswers: members.reduce((highest, { length }) => Math.max(highest, length), 0),
  }));
}
