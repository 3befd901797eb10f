import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

/**
 * Skips records whose address belongs to another employee once the whole snapshot is applied
 * (docs/rules/import-emails.md), and returns their number.
 * An address is free when no employee holds it, or its holder is offboarded or changes address in
 * the same import. The first of several claimants gets it. A skipped employee keeps the old
 * address, so the record that was to take it over is skipped as well: each skipped record has at
 * most one such successor, and following them visits every record at most once.
 * @param records number of records in the snapshot
 */
export async function skipTakenEmails(
  tx: Client,
  accountId: number,
  offboardedIds: readonly number[],
  records: number,
): Promise<number> {
  await findHolders(tx, accountId);
  const { unavailable, leaving, entering } = await findConflicts(tx, offboardedIds);
  if (unavailable.length === 0) return 0;
  const isSkipped = new Uint8Array(records);
  for (const index of unavailable) isSkipped[index] = 1;
  const successor = new Int32Array(records).fill(NONE);
  for (const [at, index] of leaving.entries()) {
    const claimant = entering[at] ?? NONE;
    if (isSkipped[claimant] === 0) successor[index] = claimant;
  }
  // Grows while it is walked.
  const skipped = [...unavailable];
  for (const index of skipped) {
    const next = successor[index] ?? NONE;
    if (isSkipped[next] !== 0) continue;
    isSkipped[next] = 1;
    skipped.push(next);
  }
  await skipRecords(tx, skipped);
  return skipped.length;
}

const NONE = -1;

async function findHolders(tx: Client, accountId: number): Promise<void> {
  const { rowCount } = await tx.query(
    `insert into address_holder
     select w.index, e.id
     from planned w join imports.employee e on e.account_id = $1 and e.email_key = w.email_key
     where w.moves_email and not w.skipped and e.id <> w.employee_id`,
    [accountId],
  );
  await analyze(tx, rowCount ?? 0, 'address_holder');
}

interface Conflicts {
  // Records that cannot get their address, whatever happens to others.
  readonly unavailable: readonly number[];
  // Pairs of records: the employee of the first leaves the address that the second claims.
  readonly leaving: readonly number[];
  readonly entering: readonly number[];
}

async function findConflicts(tx: Client, offboardedIds: readonly number[]): Promise<Conflicts> {
  const { rows } = await tx.query<Conflicts>(
    `with wanted_twice as (
       select email_key, min(index) as first from planned where moves_email and not skipped group by email_key having count(*) > 1
     ), conflict as (
       select w.index, null::integer as leaving from planned w join wanted_twice t on t.email_key = w.email_key
       where w.moves_email and not w.skipped and w.index > t.first
       union
       select holder.index, mover.index
       from address_holder holder
       left join planned mover on mover.employee_id = holder.employee_id and mover.moves_email and not mover.skipped
       where holder.employee_id <> all ($1::bigint[])
     )
     select coalesce(array_agg(index) filter (where leaving is null), '{}') as unavailable,
            coalesce(array_agg(leaving) filter (where leaving is not null), '{}') as leaving,
            coalesce(array_agg(index) filter (where leaving is not null), '{}') as entering
     from conflict`,
    [offboardedIds],
  );
  return rows[0] ?? { unavailable: [], leaving: [], entering: [] };
}

async function skipRecords(tx: Client, indexes: readonly number[]): Promise<void> {
  await tx.query(
    `with skipping as (
       update planned p set skipped = true from unnest($1::int[]) as r (index) where p.index = r.index
       returning p.index
     )
     insert into added_issue
     select index, true, '/employees/' || index || '/email', 'email_taken'
     from skipping`,
    [indexes],
  );
}

/**
 * Adds to each `email_taken` who has the address: the record that gets it, or else the employee who
 * keeps it. Call once new employees have their ids.
 */
export async function nameHolders(tx: Client): Promise<void> {
  await tx.query(
    `with claimant as (
       select distinct on (email_key) email_key, employee_id from planned where moves_email and not skipped order by email_key, index
     )
     update added_issue a set about = jsonb_build_object('employee_id', coalesce(c.employee_id, h.employee_id))
     from planned p
     left join claimant c on c.email_key = p.email_key
     left join address_holder h on h.index = p.index
     where p.index = a.index and a.code = 'email_taken'`,
  );
}

/** Renumbers new employees consecutively: records skipped after planning would leave gaps. */
export async function closeGaps(tx: Client, firstPosition: number, firstId: number): Promise<void> {
  await tx.query(
    `update planned p set position = $1::int + n.rank, employee_id = $2::bigint + n.rank
     from (select index, row_number() over (order by index) - 1 as rank from planned where is_new and not skipped) n
     where p.index = n.index`,
    [firstPosition, firstId],
  );
}
