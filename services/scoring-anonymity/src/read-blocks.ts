import type { Client, Queryable } from '@survey/postgres/database.ts';
import type { RequestedOptions } from '@survey/postgres/merged-options.ts';
import type { Period } from './rules/score.ts';

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

interface CycleScope extends Period, Omit<Segment, 'optionIds'> {
  readonly accountId: number;
  readonly questionIds: readonly number[];
  readonly options: RequestedOptions | undefined;
}

export type BlockRange = readonly [cycleId: string, lowest: number, highest: number];

interface FoundCycles extends SettledPeriod {
  // Cycles with blocks, and the lowest and highest id of these.
  readonly blocks: readonly BlockRange[];
  // Employees assigned to each cycle of the period who have one of the options; empty unless
  // requested.
  readonly assigned: readonly [cycleId: string, employees: number][];
  // Whether the options belong to the filter attribute.
  readonly optionsAreOfFilter: boolean;
}

// A cycle belongs to the period in which it closed (rule GUARD-SCORES-1).
const FIND = `
with cycle as (
  select id, survey_id, opened_us, closed_us, assigned, lowest_block, highest_block from scoring.settled_cycle
  where account_id = $1::bigint and closed_us > $3::bigint and closed_us <= $4::bigint and ($5::bigint[] is null or survey_id = any($5::bigint[]))
), asked as (
  select * from cycle where survey_id in (select survey_id from scoring.question where account_id = $1::bigint and id = any($2::bigint[]))
)
select
  (select count(*) from asked) as cycles,
  (select min(opened_us) from asked) as "openedUs",
  (select max(closed_us) from asked) as "closedUs",
  (
    select coalesce(json_agg(json_build_array(id, lowest_block, highest_block)), '[]') from cycle where lowest_block is not null
  ) as blocks,
  case when $7::boolean then coalesce((
    select json_agg(json_build_array(c.id, (
      select coalesce(sum((g ->> 1)::integer), 0) from jsonb_array_elements(c.assigned) g
      where $6::bigint[] is null or exists (select from jsonb_array_elements(g -> 0) o where o::bigint = any($6::bigint[])))) order by c.closed_us, c.id)
    from cycle c), '[]') else '[]' end as assigned,
  $8::bigint[] is null or cardinality($8::bigint[]) = (
    select count(*) from imports.attribute_option o
    where o.account_id = $1::bigint and o.id = any($8::bigint[]) and o.attribute_id = (
      select text_filter_attribute_id from admin.settings where account_id = $1::bigint order by version desc limit 1)
  ) as "optionsAreOfFilter"`;

/** Finds the settled cycles of a period. */
export async function findCycles(db: Client, scope: CycleScope): Promise<FoundCycles> {
  const { accountId, questionIds, fromUs, toUs, surveyIds, options, participation = false } = scope;
  const ids = [options?.all ?? null, participation, options?.current ?? null];
  const values = [accountId, questionIds, fromUs, toUs, surveyIds ?? null, ...ids];
  const { rows } = await db.query<FoundCycles>({ name: 'settled_cycles', text: FIND, values });
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

/** Answers to one question in one cycle that are released together. */
export interface Block {
  readonly id: number;
  readonly questionId: number;
  readonly cycleId: string;
  // Number of respondents.
  readonly size: number;
  // Options of the filter attribute that each group of respondents had.
  readonly optionGroups: readonly (readonly number[])[];
}

/** Reads the blocks with higher ids. */
export async function readNewBlocks(db: Queryable, accountId: number, after: number): Promise<Block[]> {
  const { rows } = await db.query<Block>(
    `select id, question_id as "questionId", cycle_id as "cycleId", size, option_groups as "optionGroups"
     from scoring.block where account_id = $1::bigint and id > $2::bigint order by id`,
    [accountId, after],
  );
  return rows;
}

/** Ids of blocks of a cell in ascending order, joined by commas. */
export type BlockIds = string;

export interface CellRow {
  readonly ids: BlockIds;
  readonly questionId: number;
  readonly cycleId: string;
  // Ordinals of each block, sorted.
  readonly respondents: readonly (readonly number[])[];
  readonly choices: readonly (readonly [optionIds: number[], answers: number])[];
}

// JSON, because the arrays of the driver take several times as long to parse.
// With "offset 0": one index lookup per block (docs/adr/0029-no-plan-depends-on-neighbours.md).
const READ = `
with block as (
  select w.ids, b.*
  from unnest($2::text[]) w (ids) cross join lateral unnest(string_to_array(w.ids, ',')::bigint[]) i (id) cross join lateral (
    select question_id, cycle_id, respondents, choices from scoring.block where account_id = $1::bigint and id = i.id offset 0) b
), choice as (
  select ids, (c ->> 0)::integer as choice, sum((c ->> 1)::integer) as answers from block, jsonb_array_elements(choices) c group by 1, 2
)
select b.ids, b."questionId", b."cycleId", b.respondents, c.choices
from (
  select ids, min(question_id) as "questionId", min(cycle_id::text) as "cycleId", json_agg(respondents) as respondents
  from block group by ids having count(*) = cardinality(string_to_array(ids, ','))
) b
left join (
  select c.ids, json_agg(json_build_array(n.option_ids, c.answers)) as choices
  from choice c cross join lateral (
    select option_ids from scoring.choice where account_id = $1::bigint and id = c.choice offset 0) n
  group by c.ids
) c using (ids)`;

/** Reads cells by the ids of their blocks. Cells with a block that does not exist are left out. */
export async function readCells(db: Queryable, accountId: number, cells: readonly BlockIds[]): Promise<CellRow[]> {
  const { rows } = await db.query<CellRow>(READ, [accountId, cells]);
  return rows;
}
