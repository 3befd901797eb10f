import type { Client } from '@survey/postgres/database.ts';
import type { AccountState } from '../tables/account-state.ts';

// SQL that finds and numbers objects of a kind by their keys. $2: keys; $3: ordinals.
const KINDS = {
  // Employee ids.
  respondents: {
    find: `select employee_id::text as key, ordinal from text.respondent
           where account_id = $1::bigint and employee_id = any($2::text[]::bigint[])`,
    insert: `insert into text.respondent (account_id, employee_id, ordinal)
             select $1::bigint, n.key::bigint, n.ordinal from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
  // `<cycle id> <survey id>`.
  cycles: {
    find: `select cycle_id || ' ' || survey_id as key, ordinal from text.cycle
           where account_id = $1::bigint and cycle_id = any(array(select split_part(k, ' ', 1)::uuid from unnest($2::text[]) k))`,
    insert: `insert into text.cycle (account_id, cycle_id, survey_id, ordinal)
             select $1::bigint, split_part(n.key, ' ', 1)::uuid, split_part(n.key, ' ', 2)::bigint, n.ordinal
             from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
  // Option ids, sorted, joined with commas.
  option_sets: {
    find: `select array_to_string(option_ids, ',') as key, ordinal from text.option_set
           where account_id = $1::bigint and key = any(array(select sha256(convert_to(k, 'UTF8')) from unnest($2::text[]) k))`,
    insert: `insert into text.option_set (account_id, option_ids, key, ordinal)
             select $1::bigint, ('{' || n.key || '}')::integer[], sha256(convert_to(n.key, 'UTF8')), n.ordinal
             from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
} as const satisfies Partial<Record<keyof AccountState, { find: string; insert: string }>>;

/** Returns the ordinals of objects by key, and assigns missing ones. Needs lockAccountState. */
export async function assignOrdinals(
  tx: Client,
  accountId: number,
  state: AccountState,
  kind: keyof typeof KINDS,
  keys: Iterable<string>,
): Promise<(key: string) => number> {
  const wanted = [...new Set(keys)];
  const { find, insert } = KINDS[kind];
  const { rows } = await tx.query<{ key: string; ordinal: number }>(find, [accountId, wanted]);
  const ordinals = new Map(rows.map(({ key, ordinal }) => [key, ordinal]));
  const unnumbered = wanted.filter((key) => !ordinals.has(key));
  for (const key of unnumbered) ordinals.set(key, state[kind]++);
  if (unnumbered.length > 0) await tx.query(insert, [accountId, unnumbered, unnumbered.map((key) => ordinals.get(key))]);
  return (key) => {
    const ordinal = ordinals.get(key);
    if (ordinal === undefined) throw new Error('expected an ordinal for every key');
    return ordinal;
  };
}
