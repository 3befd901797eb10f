import { isDeepStrictEqual } from 'node:util';
import type { AccountWork } from '@survey/bus/account-work.ts';
import { allowLongStatements, inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { maskingOf } from '../rules/masking-policy.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
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
 * Makes the blocks of one cycle. Returns the milliseconds until another cycle is due, 0 for
 * immediately, or undefined when none is left. Scoring-anonymity decides while no transaction is
 * open; if the cycle has changed by then, it is asked again.
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

interface JudgedCycle {
  readonly ordinal: number;
  readonly surveyId: number;
  // Thresholds by which scoring-anonymity judged the cycle.
  readonly thresholds: string;
}

const MARK = `
with changed as (
  select distinct r.cycle from text.account_state s
  join text.answer a on a.account_id = s.account_id and a.sequence > s.judged_sequence
  join text.response r on r.account_id = a.account_id and r.id = a.response_id
  where s.account_id = $1::bigint
), marked as (
  update text.cycle set judged_thresholds = null where account_id = $1::bigint and ordinal = any(array(select cycle from changed))
)
update text.account_state set judged_sequence = sequence where account_id = $1::bigint`;

/** Marks the cycles whose answers have changed since the last call. Needs lockAccountState. */
async function markChangedCycles(tx: Client, accountId: number): Promise<void> {
  await tx.query(MARK, [accountId]);
}

// Masking finishes first, so that texts do not appear one by one. $2: masking policy; null when
// texts are returned verbatim.
const NEXT = `
select c.ordinal, c.survey_id as "surveyId", s.judged_thresholds as thresholds
from text.cycle c
join scoring.settled_cycle s on s.account_id = c.account_id and s.id = c.cycle_id and s.judged_thresholds is not null
where c.account_id = $1::bigint and c.judged_thresholds is distinct from s.judged_thresholds and ($2::bigint is null or not exists (
  select from text.response r join text.answer a on a.account_id = r.account_id and a.response_id = r.id
  where r.account_id = $1::bigint and r.cycle = c.ordinal and a.content is not null and not r.imported
    and not exists (select from text.masked_text m where m.account_id = $1::bigint and m.answer = a.id and m.policy = $2::bigint)
    and not exists (select from text.given_up g where g.account_id = $1::bigint and g.stage = 'mask' and g.answer = a.id)))
limit 1`;

/** Returns a settled and masked cycle that has new answers or was judged by other thresholds. */
async function nextCycle(tx: Client, accountId: number, policy: number | null): Promise<JudgedCycle | undefined> {
  const { rows } = await tx.query<JudgedCycle>(NEXT, [accountId, policy]);
  return rows[0];
}

/**
 * Saves the thresholds by which a cycle was judged, and the number of questions whose texts are
 * withheld.
 */
async function saveJudged(tx: Client, accountId: number, cycle: JudgedCycle, withheld: number): Promise<void> {
  await tx.query(
    'update text.cycle set judged_thresholds = $3::text, withheld = $4::integer where account_id = $1::bigint and ordinal = $2::integer',
    [accountId, cycle.ordinal, cycle.thresholds, withheld],
  );
}

/** An answer that is in no block and that masking permits to return. */
interface FreeAnswer {
  readonly id: number;
  readonly questionId: number;
  readonly respondent: number;
  // Options of the filter attribute; none when the cell has a block already.
  readonly optionIds: readonly number[];
}

// With "offset 0": only what belongs to the cycle is read, by index
// (docs/adr/0029-no-plan-depends-on-neighbours.md).
const FREE = `
select a.id, a.question_id as "questionId", r.respondent, case
    when exists (select from text.block k where k.account_id = $1::bigint and k.cycle = r.cycle and k.question_id = a.question_id) then '{}'
    else array(
      select o.id from imports.attribute_option o
      where o.account_id = $1::bigint and o.attribute_id = $3::integer and o.id = any(s.option_ids)
      union
      select m.option_id from imports.option_alias m
      where m.account_id = $1::bigint and m.attribute_id = $3::integer and m.id = any(s.option_ids) order by 1)
  end as "optionIds"
from text.response r
cross join lateral (
  select id, question_id from text.answer
  where account_id = $1::bigint and response_id = r.id and content is not null offset 0) a
join text.question q on q.account_id = $1::bigint and q.id = a.question_id and q.type = 'textfield'
join text.option_set s on s.account_id = r.account_id and s.ordinal = r.option_set
where r.account_id = $1::bigint and r.cycle = $2::integer
  and not exists (select from text.block_answer b where b.account_id = $1::bigint and b.answer = a.id offset 0)
  and (r.imported or $4::bigint is null or exists (
    select from text.masked_text m where m.account_id = $1::bigint and m.answer = a.id and m.policy = $4::bigint offset 0))
order by a.id`;

interface FreeScope {
  readonly accountId: number;
  readonly cycle: JudgedCycle;
  readonly attributeId: number | null;
  readonly policy: number | null;
}

async function readFreeAnswers(tx: Client, { accountId, cycle, attributeId, policy }: FreeScope): Promise<FreeAnswer[]> {
  const { rows } = await tx.query<FreeAnswer>(FREE, [accountId, cycle.ordinal, attributeId, policy]);
  return rows;
}

const SAVE = `
with block as (
  insert into text.block (account_id, ordinal, cycle, question_id, option_groups)
  values ($1::bigint, $2::integer, $3::integer, $4::bigint, $5::jsonb)
)
insert into text.block_answer (account_id, answer, block, sequence)
select $1::bigint, answer, $2::integer, $7::bigint from unnest($6::integer[]) answer returning 1`;

interface BlockRow {
  readonly accountId: number;
  readonly ordinal: number;
  readonly cycle: JudgedCycle;
  readonly questionId: number;
  readonly optionGroups: readonly (readonly number[])[];
  readonly answers: readonly number[];
  readonly sequence: number;
}

async function saveBlock(tx: Client, block: BlockRow): Promise<void> {
  const { accountId, ordinal, cycle, questionId, optionGroups, answers, sequence } = block;
  await tx.query(SAVE, [accountId, ordinal, cycle.ordinal, questionId, JSON.stringify(optionGroups), answers, sequence]);
}
