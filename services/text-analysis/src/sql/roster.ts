import type { Client } from '@survey/postgres/database.ts';
import { Roster, type RosterPerson } from '@survey/pii-masking/roster.ts';

const BATCH_SIZE = 10_000;

/**
 * Reads the names of all employees of the account, including offboarded ones, whom texts still
 * mention, and erased ones until they are masked in all texts.
 */
export async function loadRoster(tx: Client, accountId: number): Promise<Roster> {
  const roster = new Roster();
  const erased = await tx.query<RosterPerson>(
    `select firstname, lastname, email from imports.erased_employee
     where account_id = $1::bigint and email is not null and 'text' = any(pending_schemas)`,
    [accountId],
  );
  for (const person of erased.rows) roster.add(person);
  let after = 0;
  for (;;) {
    const { rows } = await tx.query<RosterPerson & { id: number }>(
      `select id, firstname, lastname, email from imports.employee where account_id = $1::bigint and id > $2::bigint order by id limit $3`,
      [accountId, after, BATCH_SIZE],
    );
    for (const person of rows) roster.add(person);
    if (rows.length < BATCH_SIZE) return roster;
    after = rows.at(-1)?.id ?? 0;
  }
}
