import type { Client } from '@survey/postgres/database.ts';
import type { AccountState } from './account-state.ts';

/**
 * Returns the ordinals of respondents and assigns new ones where missing. Requires
 * lockAccountState.
 */
export async function numberRespondents(
  tx: Client,
  accountId: number,
  state: AccountState,
  employeeIds: ReadonlySet<number>,
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await tx.query<[number, number]>({
    text: 'select employee_id, ordinal from scoring.respondent where account_id = $1::bigint and employee_id = any($2::bigint[])',
    values: [accountId, [...employeeIds]],
    rowMode: 'array',
  });
  const ordinals = new Map(rows);
  const unnumbered = [...employeeIds].filter((id) => !ordinals.has(id));
  if (unnumbered.length === 0) return ordinals;
  for (const id of unnumbered) ordinals.set(id, state.respondents++);
  await tx.query(
    `insert into scoring.respondent (account_id, employee_id, ordinal) select $1::bigint, * from unnest($2::bigint[], $3::integer[]) returning 1`,
    [accountId, unnumbered, unnumbered.map((id) => ordinals.get(id))],
  );
  return ordinals;
}
