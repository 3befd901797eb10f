import { setTimeout as sleep } from 'node:timers/promises';
import type { SurveyClient } from '@survey/client';
import type { EmployeeRecord } from '@survey/demo-data/workforce.ts';
import { Client } from 'pg';

const NIGHTS = 14;
// Nights before the last one on which the HR system sends only some of its employees, so that the
// deletion threshold cancels the import.
const INCOMPLETE: ReadonlySet<number> = new Set([3, 4, 10]);
const INCOMPLETE_SHARE = 0.7;
// Nobody reports to the employees after these, so they can join, move and leave freely.
const SUPERVISORS = 400;
const IMPORT_TIMEOUT_MS = 120_000;

interface Target {
  readonly client: SurveyClient;
  // URL of the owner of the tables.
  readonly databaseUrl: string;
  readonly accountId: number;
}

/** Imports two weeks of nights. In the last one everybody is employed, and two are skipped. */
export function importNights(people: readonly EmployeeRecord[], target: Target): Promise<void> {
  return importSnapshots(
    Array.from({ length: NIGHTS }, (_, at) => () => snapshotOf(people, NIGHTS - 1 - at)),
    target,
  );
}

/** Imports snapshots one after another, and then dates each import of the account to its night. */
export async function importSnapshots(
  snapshots: readonly (() => Iterable<EmployeeRecord>)[],
  { client, databaseUrl, accountId }: Target,
): Promise<void> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query("select set_config('survey.account_id', $1, false)", [String(accountId)]);
    for (const snapshot of snapshots) {
      const { import_uuid } = await client.importEmployees(snapshot);
      await untilEnded(database, accountId, import_uuid);
    }
    await dateImports(database, accountId);
  } finally {
    await database.end();
  }
}

// Why records are skipped in the last night, by employee.
const MISTAKES: ReadonlyMap<number, Partial<EmployeeRecord>> = new Map([
  [1_204, { email: '' }],
  [2_312, { language: 'xx' }],
]);

// Every night some join, some move to another department, and some are away until the next night.
function* snapshotOf(people: readonly EmployeeRecord[], night: number): Iterable<EmployeeRecord> {
  const joinLater = 3 * night + (night % 3);
  const end = INCOMPLETE.has(night) ? people.length * INCOMPLETE_SHARE : people.length - joinLater;
  for (const [index, person] of people.slice(0, end).entries()) {
    const isAway = night > 0 && index > SUPERVISORS && index % (80 + 30 * (night % 3)) === night;
    const movesLater = index > SUPERVISORS && night > index % 61;
    // Neighbours mostly work in the same department.
    const department = people[index - SUPERVISORS]?.attributes[0];
    if (isAway) continue;
    if (night === 0 && MISTAKES.has(index)) yield { ...person, ...MISTAKES.get(index) };
    else yield movesLater && department ? { ...person, attributes: person.attributes.with(0, department) } : person;
  }
}

async function untilEnded(database: Client, accountId: number, importUuid: string): Promise<void> {
  const deadline = performance.now() + IMPORT_TIMEOUT_MS;
  const isRunning = 'select from imports.import where account_id = $1 and import_uuid = $2 and finished_at is null';
  while ((await database.query(isRunning, [accountId, importUuid])).rowCount !== 0) {
    if (performance.now() > deadline) throw new Error('a demo import does not end');
    await sleep(50);
  }
}

// Only here: the service has no way to change when an import happened.
async function dateImports(database: Client, accountId: number): Promise<void> {
  await database.query(
    `with dated as (
       select import_uuid, accepted_at - (last_night - (row_number() over (order by accepted_at desc) - 1) * interval '1 day') as age
       from imports.import, (select date_trunc('day', now() - interval '2 hours') + interval '2 hours' as last_night)
       where account_id = $1
     ), mailed as (
       update imports.mail set created_at = created_at - age, sent_at = sent_at - age
       from dated where account_id = $1 and mail.import_uuid = dated.import_uuid and sent_at is not null
     )
     update imports.import set
       accepted_at = accepted_at - age, finished_at = finished_at - age, first_attempt_at = first_attempt_at - age,
       next_attempt_at = next_attempt_at - age, body_kept_until = body_kept_until - age,
       records_kept_until = records_kept_until - age
     from dated
     where account_id = $1 and import.import_uuid = dated.import_uuid`,
    [accountId],
  );
}
