import { onAccountClosed } from '@survey/bus/account-deletion.ts';
import { subscribe, type BusConnection } from '@survey/bus/connection.ts';
import { type Client, inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { ImportEvent, SettingsChanged } from '@survey/proto/events/v1/events.ts';
import { Roster, type RosterPerson } from '@survey/text/masking/roster.ts';
import { LRUCache } from 'lru-cache';
import { readAllowedNames } from '../tables/settings.ts';

const BATCH_SIZE = 10_000;
// An attribute with more options may describe single employees, such as by the names of managers.
const MAX_OPTIONS = 1_000;
// Of all attributes, the oldest first.
const MAX_ALLOWED = 50_000;

const OPTIONS = `select name from
  (select attribute_id, id, name, count(*) over (partition by attribute_id) as options
   from imports.attribute_option where account_id = $1::bigint) o
  where options <= $2 order by attribute_id, id limit ${MAX_ALLOWED}`;

/**
 * Reads the names of all employees of the account, including offboarded ones, whom texts still
 * mention, and erased ones until they are masked in all texts. The account's allowed names remain
 * visible; the masking model also leaves the words of attribute options visible.
 */
export async function loadRoster(tx: Client, accountId: number): Promise<Roster> {
  const roster = new Roster();
  const erased = await tx.query<RosterPerson>(
    `select firstname, lastname, email from imports.erased_employee
     where account_id = $1::bigint and email is not null and 'text' = any(pending_schemas)`,
    [accountId],
  );
  for (const person of erased.rows) roster.add(person);
  const options = await tx.query<{ name: string }>(OPTIONS, [accountId, MAX_OPTIONS]);
  for (const { name } of options.rows) roster.allow(name, { onlyModel: true });
  for (const name of await readAllowedNames(tx, accountId)) roster.allow(name);
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

/** Returns the cached roster of an account. */
export type GetRoster = (accountId: number) => Promise<Roster>;

// Maximum age of a roster: changes made in the application publish no event.
const AGE_MS = 60_000;
// A name takes about 30 bytes.
const MAX_NAMES = 3_000_000;

/** Loads rosters on demand, and again after an import or a change of settings. */
export function createRosterCache(pool: Pool, bus: BusConnection, context: ServiceContext): GetRoster {
  const rosters = new LRUCache<number, Roster>({
    max: 1_000,
    maxSize: MAX_NAMES,
    sizeCalculation: ({ size }) => size + 1,
    ttl: AGE_MS,
    fetchMethod: (accountId) => inAccountSnapshot(pool, accountId, (tx) => loadRoster(tx, accountId)),
  });
  const applied = subscribe(bus, 'events.import.applied', (payload) => {
    rosters.delete(ImportEvent.decode(payload).account_id);
  });
  const changed = subscribe(bus, 'events.settings.changed', (payload) => {
    rosters.delete(SettingsChanged.decode(payload).account_id);
  });
  for (const subscription of [applied, changed]) context.resources.use(subscription);
  onAccountClosed(bus, context, (accountId) => rosters.delete(accountId));
  return (accountId) => rosters.forceFetch(accountId);
}
