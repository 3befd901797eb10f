import { createHash } from 'node:crypto';
import type { Client } from '@survey/postgres/database.ts';
import type { AccountState } from './account-state.ts';

/**
 * Returns the ordinals of choices, keyed by their option ids joined with commas. Assigns ordinals
 * to new choices. Requires lockAccountState.
 */
export async function assignChoiceOrdinals(
  tx: Client,
  accountId: number,
  state: AccountState,
  chosen: readonly (readonly number[])[],
): Promise<ReadonlyMap<string, number>> {
  const optionIds = new Map(chosen.map((ids) => [ids.join(), ids]));
  const keys = new Map([...optionIds.keys()].map((text) => [keyOf(text).toString('hex'), text]));
  const { rows } = await tx.query<{ id: number; key: string }>(
    `select c.id, encode(c.key, 'hex') as key
     from scoring.choice c join unnest($2::text[]) k on c.key = decode(k, 'hex')
     where c.account_id = $1::bigint`,
    [accountId, [...keys.keys()]],
  );
  const ordinals = new Map(rows.map(({ id, key }) => [keys.get(key) ?? '', id]));
  const unnumbered = [...optionIds].filter(([text]) => !ordinals.has(text));
  if (unnumbered.length === 0) return ordinals;
  for (const [text] of unnumbered) ordinals.set(text, state.choices++);
  await insertChoices(tx, accountId, unnumbered, ordinals);
  return ordinals;
}

function keyOf(optionIds: string): Buffer {
  return createHash('sha256').update(optionIds).digest();
}

// PostgreSQL has no arrays of arrays of different lengths: they are sent as texts.
async function insertChoices(
  tx: Client,
  accountId: number,
  choices: readonly (readonly [string, readonly number[]])[],
  ordinals: ReadonlyMap<string, number>,
): Promise<void> {
  await tx.query(
    `insert into scoring.choice (account_id, id, key, option_ids)
     select $1::bigint, c.id, c.key, c.option_ids::bigint[] from unnest($2::integer[], $3::bytea[], $4::text[]) c (id, key, option_ids)
     returning 1`,
    [
      accountId,
      choices.map(([text]) => ordinals.get(text)),
      choices.map(([text]) => keyOf(text)),
      choices.map(([text]) => `{${text}}`),
    ],
  );
}
