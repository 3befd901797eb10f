import type { Client } from './database.ts';

/** Attribute options that a caller filters by. */
export interface RequestedOptions {
  /** The requested options, or those that they were merged into. */
  readonly current: readonly number[];
  /** These, and all that were merged into them: stored answers may have any of them. */
  readonly all: readonly number[];
}

// The lateral joins force index look-ups, whatever the planner knows of the account.
const RESOLVE = `
with current as materialized (
  select distinct coalesce(m.option_id, w.id) as id
  from unnest($2::bigint[]) w (id)
  left join lateral (
    select id, option_id from imports.option_alias where account_id = $1::bigint and id >= w.id order by id limit 1
  ) m on m.id = w.id
)
select (select coalesce(json_agg(id order by id), '[]') from current) as current, (
  select coalesce(json_agg(o.id), '[]') from (
    select id from current
    union
    select m.id
    from current c
    cross join lateral (
      select id from imports.option_alias where account_id = $1::bigint and option_id = c.id order by option_id offset 0
    ) m
  ) o
) as "all"`;

/**
 * Resolves requested options to those that they were merged into (rule ATTRIBUTES-MERGE-3). Whoever
 * asks for one of several merged options gets all of them: nobody can ask for the people of only
 * one.
 */
export async function resolveOptions(tx: Client, accountId: number, requested: Iterable<number>): Promise<RequestedOptions> {
  const { rows } = await tx.query<RequestedOptions>(RESOLVE, [accountId, [...requested]]);
  if (rows[0] === undefined) throw new Error('expected one row');
  return rows[0];
}
