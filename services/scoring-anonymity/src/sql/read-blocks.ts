import type { Queryable } from '@survey/postgres/database.ts';
import type { Period } from '../rules/score.ts';

/** The settled cycles of the requested surveys in a period, released or not. */
export interface SettledPeriod {
  readonly cycles: number;
  // First opening and last closing, in microseconds since 1970; null without cycles.
  readonly openedUs: number | null;
  readonly closedUs: number | null;
}

interface BlockScope extends Period {
  readonly accountId: number;
  readonly questionIds: readonly number[];
}

// A cycle belongs to the period in which it closed (rule GUARD-SCORES-1).
const FIND = `
with cycle as (
  select id, survey_id, opened_us, closed_us from scoring.settled_cycle
  where account_id = $1::bigint and closed_us > $3::bigint and closed_us <= $4::bigint
), asked as (
  select * from cycle where survey_id in (select survey_id from scoring.question where account_id = $1::bigint and id = any($2::bigint[]))
)
select
  (select count(*) from asked) as cycles,
  (select min(opened_us) from asked) as "openedUs",
  (select max(closed_us) from asked) as "closedUs",
  array(
    select b.id from scoring.block b join cycle c on c.id = b.cycle_id
    where b.account_id = $1::bigint and b.question_id = any($2::bigint[])
  )::bigint[] as ids`;

/** Finds the ids of the blocks that a score consists of. */
export async function findBlocks(
  db: Queryable,
  { accountId, questionIds, fromUs, toUs }: BlockScope,
): Promise<SettledPeriod & { ids: number[] }> {
  const { rows } = await db.query<SettledPeriod & { ids: number[] }>(FIND, [accountId, questionIds, fromUs, toUs]);
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}

export interface BlockRow {
  readonly id: number;
  readonly questionId: number;
  readonly respondents: readonly number[];
  readonly choices: readonly (readonly [optionIds: number[], answers: number])[];
}

export async function readBlocks(db: Queryable, accountId: number, ids: readonly number[]): Promise<BlockRow[]> {
  const { rows } = await db.query<BlockRow>(
    `select b.id, b.question_id as "questionId", b.respondents, (
       select json_agg(json_build_array(n.option_ids, c -> 1)) from jsonb_array_elements(b.choices) c
       join scoring.choice n on n.account_id = b.account_id and n.id = (c ->> 0)::integer
     ) as choices
     from scoring.block b where b.account_id = $1::bigint and b.id = any($2::bigint[])`,
    [accountId, ids],
  );
  return rows;
}
