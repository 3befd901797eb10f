import type { Client } from '@survey/postgres/database.ts';
import type { Cell } from '../rules/disclosure-guard.ts';

/** State of an account from which blocks are made. */
interface BlockState {
  readonly responses: number;
  readonly sequence: number;
  readonly thresholds: string;
}

// Bounds stay as they were when the cycle settled.
const SETTLE = `
insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us)
select account_id, id, survey_id, opened_us, closed_us from scoring.cycle
where account_id = $1::bigint and closed_us <= (extract(epoch from now()) - $2::integer * 3600) * 1e6
on conflict do nothing`;

// The digest changes with every threshold, and when a question is added.
const STATE = `
select s.responses, s.sequence, (
    select md5(string_agg(concat_ws(':', q.id, coalesce(v.score_threshold, 0), coalesce(v.text_threshold, 0)), ',' order by q.id))
    from scoring.question q join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id where q.account_id = s.account_id
  ) as thresholds
from scoring.account_state s where s.account_id = $1::bigint for update`;

/**
 * Settles the closed cycles of an account with the disclosure guard, and locks it against
 * concurrent ingestion, so that later responses have higher ordinals. Undefined without guard or
 * responses.
 */
export async function settleCycles(tx: Client, accountId: number): Promise<BlockState | undefined> {
  const { rows: settings } = await tx.query<{ disclosure_guard: string; guard_settling_hours: number }>(
    'select disclosure_guard, guard_settling_hours from admin.settings where account_id = $1::bigint order by version desc limit 1',
    [accountId],
  );
  if (settings[0]?.disclosure_guard !== 'strict') return undefined;
  const { rows } = await tx.query<BlockState>(STATE, [accountId]);
  if (rows[0] !== undefined) await tx.query(SETTLE, [accountId, settings[0].guard_settling_hours]);
  return rows[0];
}

/** Returns a settled cycle with new responses, or that was judged by other thresholds. */
export async function nextCycle(tx: Client, accountId: number, { thresholds }: BlockState): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `select c.id from scoring.settled_cycle c
     where c.account_id = $1::bigint and (c.judged_thresholds is distinct from $2::text or exists (
       select from scoring.response r where r.account_id = c.account_id and r.cycle_id = c.id and r.sequence > c.judged_sequence))
     limit 1`,
    [accountId, thresholds],
  );
  return rows[0]?.id;
}

/** Numbers of questions whose answers are withheld, by reason; late: beside a block. */
interface Judgement extends BlockState {
  readonly accountId: number;
  readonly cycleId: string;
  readonly too_few: number;
  readonly dominated: number;
  readonly late: number;
}

/** Saves the state by which a cycle was judged, and the outcome for the anonymity report. */
export async function saveJudged(
  tx: Client,
  { accountId, cycleId, sequence, thresholds, too_few, dominated, late }: Judgement,
): Promise<void> {
  await tx.query(
    `update scoring.settled_cycle set judged_sequence = $3::bigint, judged_thresholds = $4::text,
       released = (select count(distinct question_id) from scoring.block where account_id = $1::bigint and cycle_id = $2::uuid),
       too_few = $5::integer, dominated = $6::integer, late = $7::integer
     where account_id = $1::bigint and id = $2::uuid`,
    [accountId, cycleId, sequence, thresholds, too_few, dominated, late],
  );
}

// Answers of a cycle that are in no block, of responses that arrived after the last block of their
// question.
const FREE = `
select a.question_id, a.respondent, a.choice
from scoring.response r
join scoring.answer a on a.account_id = r.account_id and a.response = r.ordinal
left join (
  select question_id, max(next_response) as next_response from scoring.block
  where account_id = $1::bigint and cycle_id = $2::uuid group by question_id
) b on b.question_id = a.question_id
where r.account_id = $1::bigint and r.cycle_id = $2::uuid and r.ordinal >= coalesce(b.next_response, 0)`;

const CELLS = `
select q.id as "questionId", v.score_threshold as "configuredThreshold", count(*) as respondents, sum(f.answers)::bigint as answers,
  max(f.answers) as "mostAnswers",
  exists (select from scoring.block b where b.account_id = $1::bigint and b.cycle_id = $2::uuid and b.question_id = q.id) as "hasBlock"
from (select question_id, respondent, count(*) as answers from (${FREE}) free group by question_id, respondent) f
join scoring.question q on q.account_id = $1::bigint and q.id = f.question_id
join scoring.survey v on v.account_id = q.account_id and v.id = q.survey_id
group by q.id, v.score_threshold`;

interface FreeCell extends Cell {
  readonly questionId: number;
  // Whether earlier answers to the question are in a block.
  readonly hasBlock: boolean;
}

/** Counts the answers of a cycle that are in no block, for each question. */
export async function readCells(tx: Client, accountId: number, cycleId: string): Promise<FreeCell[]> {
  const { rows } = await tx.query<FreeCell>(CELLS, [accountId, cycleId]);
  return rows;
}

const SAVE = `
with free as materialized (
  select * from (${FREE}) free where question_id = any($3::bigint[])
), chosen as (
  select question_id, jsonb_agg(jsonb_build_array(choice, answers) order by choice) as choices
  from (select question_id, choice, count(*) as answers from free group by question_id, choice) c group by question_id
), given as (
  select question_id, array_agg(respondent order by respondent) as respondents
  from (select distinct question_id, respondent from free) r group by question_id
)
insert into scoring.block (account_id, question_id, cycle_id, next_response, respondents, choices)
select $1::bigint, question_id, $2::uuid, $4::integer, respondents, choices from chosen join given using (question_id)`;

interface NewBlocks {
  readonly accountId: number;
  readonly cycleId: string;
  readonly questionIds: readonly number[];
  // Ordinal of the next response that will be ingested.
  readonly nextResponse: number;
}

/** Makes one block of each question's answers that are in no block. */
export async function saveBlocks(tx: Client, { accountId, cycleId, questionIds, nextResponse }: NewBlocks): Promise<void> {
  if (questionIds.length > 0) await tx.query(SAVE, [accountId, cycleId, questionIds, nextResponse]);
}
