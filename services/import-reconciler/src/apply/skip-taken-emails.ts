import type { Client } from '@survey/postgres/database.ts';
import { analyze } from './working-tables.ts';

/** A record skipped after planning, with the options that its employee would have had. */
interface SkippedRecord {
  readonly index: number;
  readonly option_ids: readonly number[];
}

/**
 * Skips records whose address belongs to another employee once the whole snapshot is applied
 * (docs/rules/import-emails.md), and returns them.
 * An address is free when no employee holds it, or its holder is offboarded or changes address in
 * the same import. The first of several claimants gets it. A skipped employee keeps the old
 * address, which may cause further conflicts, so rounds repeat until none is found. The set only
 * grows, so the result does not depend on their order.
 */
export async function skipTakenEmails(tx: Client, accountId: number, offboardedIds: readonly number[]): Promise<SkippedRecord[]> {
  await findHolders(tx, accountId);
  const skipped: SkippedRecord[] = [];
  for (;;) {
    const round = await skipRound(tx, offboardedIds);
    if (round.length === 0) return skipped;
    skipped.push(...round);
  }
}

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

async function skipRound(tx: Client, offboarded: readonly number[]): Promise<SkippedRecord[]> {
  const { rows } = await tx.query<SkippedRecord>(
    `with wanted_twice as (
       select email_key, min(index) as first from planned where moves_email and not skipped group by email_key having count(*) > 1
     ), rejected as (
       select w.index from planned w join wanted_twice t on t.email_key = w.email_key
       where w.moves_email and not w.skipped and w.index > t.first
       union
       select holder.index
       from address_holder holder
       where holder.employee_id <> all ($1::bigint[])
         and not exists (
           select from planned mover
           where mover.employee_id = holder.employee_id and mover.moves_email and not mover.skipped)
     ), skipping as (
       update planned p set skipped = true
       from rejected r where p.index = r.index and not p.skipped
       returning p.index, p.option_ids
     ), noted as (
       insert into added_issue
       select index, true, '/employees/' || index || '/email', 'email_taken', 'the e-mail address belongs to another employee'
       from skipping
     )
     select index, option_ids from skipping`,
    [offboarded],
  );
  return rows;
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
