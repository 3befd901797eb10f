import type { Queryable } from '@survey/postgres/database.ts';
import type { Period } from '../rules/score.ts';

/** The settled cycles of the requested surveys in a period, released or not. */
export interface SettledPeriod {
  readonly cycles: number;
  // First opening and last closing, in microseconds since 1970; null without cycles.
  readonly openedUs: number | null;
  readonly closedUs: number | null;
}

/** Limits a score to some of the blocks (rule GUARD-SEGMENTS-2). */
export interface Segment {
  readonly surveyIds: readonly number[] | undefined;
  // Options of the filter attribute.
  readonly optionIds: readonly number[] | undefined;
  // Whether to count the assigned employees and the respondents of each cycle.
  readonly participation: boolean | undefined;
}

interface BlockScope extends Period, Segment {
  readonly accountId: number;
  readonly questionIds: readonly number[];
}

interface FoundBlocks extends SettledPeriod {
  readonly ids: number[];
  // Employees assigned to each cycle of the period who have one of the options; empty unless
  // requested.
  readonly assigned: readonly [cycleId: string, employees: number][];
  // Whether the options are those of the filter attribute.
  readonly optionsAreOfFilter: boolean;
}

// Whether a group of employees has one of the wanted options.
const matches = (options: string): string =>
  `exists (select from jsonb_array_elements(${options}) o where o::bigint = any($6::bigint[]))`;

// A cycle belongs to the period in which it closed (rule GUARD-SCORES-1).
const FIND = `
with cycle as (
  select id, survey_id, opened_us, closed_us, assigned from scoring.settled_cycle
  where account_id = $1::bigint and closed_us > $3::bigint and closed_us <= $4::bigint and ($5::bigint[] is null or survey_id = any($5::bigint[]))
), asked as (
  select * from cycle where survey_id in (select survey_id from scoring.question where account_id = $1::bigint and id = any($2::bigint[]))
)
select
  (select count(*) from asked) as cycles,
  (select min(opened_us) from asked) as "openedUs",
  (select max(closed_us) from asked) as "closedUs",
  case when $7::boolean then coalesce((
    select json_agg(json_build_array(c.id, (
      select coalesce(sum((g ->> 1)::integer), 0) from jsonb_array_elements(c.assigned) g
      where $6::bigint[] is null or ${matches('g -> 0')})) order by c.closed_us, c.id)
    from cycle c), '[]') else '[]' end as assigned,
  array(
    select b.id from scoring.block b join cycle c on c.id = b.cycle_id
    where b.account_id = $1::bigint and b.question_id = any($2::bigint[])
      and ($6::bigint[] is null or not exists (select from jsonb_array_elements(b.option_groups) g where not ${matches('g')}))
  )::bigint[] as ids,
  $6::bigint[] is null or cardinality($6::bigint[]) = (
    select count(*) from imports.attribute_option o
    where o.account_id = $1::bigint and o.id = any($6::bigint[]) and o.attribute_id = (
      select text_filter_attribute_id from admin.settings where account_id = $1::bigint order by version desc limit 1)
  ) as "optionsAreOfFilter"`;

/** Finds the ids of the blocks that a score consists of. */
export async function findBlocks(db: Queryable, scope: BlockScope): Promise<FoundBlocks> {
  const { accountId, questionIds, fromUs, toUs, surveyIds, optionIds, participation = false } = scope;
  const distinct = optionIds && [...new Set(optionIds)];
  const values = [accountId, questionIds, fromUs, toUs, surveyIds ?? null, distinct ?? null, participation];
  const { rows } = await db.query<FoundBlocks>(FIND, values);
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

export interface BlockRow {
  readonly id: number;
  readonly questionId: number;
  readonly cycleId: string;
  readonly respondents: readonly number[];
  readonly choices: readonly (readonly [optionIds: number[], answers: number])[];
}

export async function readBlocks(db: Queryable, accountId: number, ids: readonly number[]): Promise<BlockRow[]> {
  const { rows } = await db.query<BlockRow>(
    `select b.id, b.question_id as "questionId", b.cycle_id as "cycleId", b.respondents, (
       select json_agg(json_build_array(n.option_ids, c -> 1)) from jsonb_array_elements(b.choices) c
       join scoring.choice n on n.account_id = b.account_id and n.id = (c ->> 0)::integer
     ) as choices
     from scoring.block b where b.account_id = $1::bigint and b.id = any($2::bigint[])`,
    [accountId, ids],
  );
  return rows;
}
