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

interface BlockTools {
  readonly pool: Pool;
  readonly scoring: Pick<Upstream<ScoringServiceDefinition>, 'formTextBlocks'>;
}

/**
 * Creates the account work that makes blocks of texts for the disclosure guard, of the cycles that
 * scoring-anonymity has settled (docs/rules/guard.md). Accounts without the guard have none.
 */
export function textBlockWork(tools: BlockTools): AccountWork {
  return {
    kind: 'blocks',
    wokenBy: 'events.settings.changed',
    sweep: async (pool) => {
      const { rows } = await pool.query<{ id: number }>('select id from scoring.accounts_with_guard() as id');
      return rows.map(({ id }) => id);
    },
    work: (accountId) => inAccount(tools.pool, accountId, (tx) => makeTextBlocks(tx, accountId, tools)),
  };
}

/** Makes the blocks of one cycle. Returns as AccountWork.work does. */
export async function makeTextBlocks(
  tx: Client,
  accountId: number,
  { scoring }: Omit<BlockTools, 'pool'>,
): Promise<number | undefined> {
  const settings = await readGuardSettings(tx, accountId);
  if (settings?.disclosure_guard !== 'strict') return undefined;
  const masking = maskingOf(settings);
  if (masking === 'withheld') return POLL_MS;
  const policy = masking === 'verbatim' ? null : masking.policy;
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const state = await lockAccountState(tx, accountId);
  await markChangedCycles(tx, accountId);
  const cycle = await nextCycle(tx, accountId, policy);
  if (cycle === undefined) return POLL_MS;
  const attributeId = settings.text_filter_attribute_id;
  const free = await readFreeAnswers(tx, { accountId, cycle, attributeId, policy });
  const blocks = await blocksOf(free, cycle, accountId, scoring);
  state.sequence += 1;
  for (const block of blocks) {
    await saveBlock(tx, { accountId, ...block, ordinal: state.blocks, cycle, sequence: state.sequence });
    state.blocks += 1;
  }
  await saveAccountState(tx, accountId, state);
  const released = new Set(blocks.map(({ questionId }) => questionId));
  const withheld = new Set(free.flatMap(({ questionId }) => (released.has(questionId) ? [] : [questionId])));
  await saveJudged(tx, accountId, cycle, withheld.size);
  return 0;
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
  scoring: BlockTools['scoring'],
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

// A respondent whose options have changed within the cycle is in one group, with those of their
// first answer.
function groupsOf(answers: readonly FreeAnswer[]): Group[] {
  const respondents = [...Map.groupBy(answers, ({ respondent }) => respondent).values()];
  const optionsOf = (own: readonly FreeAnswer[]): readonly number[] => own[0]?.optionIds ?? [];
  return [...Map.groupBy(respondents, (own) => optionsOf(own).join()).values()].map((members) => ({
    optionIds: optionsOf(members[0] ?? []),
    respondents: members.length,
    answers: members.flatMap((own) => own.map(({ id }) => id)),
    mostAnswers: members.reduce((most, { length }) => Math.max(most, length), 0),
  }));
}
