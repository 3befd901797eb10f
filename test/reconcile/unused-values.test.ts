import { randomUUID } from 'node:crypto';
import { unusedValues } from '@survey/import-reconciler/erasure/delete-unused-values.ts';
import { expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { attribute, grant, newWorkforce, R, type Workforce } from './workforce.ts';

const database = await openReconcilerDatabase();
const { db, pool } = database;
const work = unusedValues(pool, 30);
const dept = (value: string) => ({ attributes: [attribute('Dept', value)] });

/** Looks for unused values, as the service does once a day. */
async function check({ account: { accountId } }: Workforce): Promise<void> {
  expect(await work.sweep(pool)).toContain(accountId);
  expect(await work.work(accountId)).toBeUndefined();
  expect(await work.sweep(pool)).not.toContain(accountId);
  await db.query('update imports.account_state set options_checked_at = null where account_id = $1', [accountId]);
}

async function pass({ account: { accountId } }: Workforce, days: number): Promise<void> {
  await db.query(
    "update imports.attribute_option set unused_since = (unused_since at time zone 'UTC' - $2 * interval '1 day') at time zone 'UTC' where account_id = $1",
    [accountId, days],
  );
}

async function options({ account: { accountId } }: Workforce): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: number; name: string }>(
    'select id, name from imports.attribute_option where account_id = $1 order by id',
    [accountId],
  );
  return new Map(rows.map(({ id, name }) => [name, id]));
}

const namesOf = async (people: Workforce): Promise<string[]> => [...(await options(people)).keys()];

it('deletes a value that nobody has had for 30 days, and never gives its id again [DATA-RETENTION-4]', async () => {
  const people = await newWorkforce(database, [R(1, dept('Old')), R(2, dept('Left'))]);
  const before = await options(people);
  await people.import([R(1, dept('New'))]);
  await check(people);
  await pass(people, 29);
  await check(people);
  // An offboarded employee still has theirs.
  expect(await namesOf(people)).toEqual(['Old', 'Left', 'New']);
  await pass(people, 2);
  await check(people);
  expect(await namesOf(people)).toEqual(['Left', 'New']);
  await people.import([R(1, dept('Old'))]);
  const again = await options(people);
  expect(again.get('Old')).toBeGreaterThan(Math.max(...before.values(), again.get('New') ?? 0));
});

it('keeps a value that was used in between, that a grant names, or that answers were given under [DATA-RETENTION-4]', async () => {
  const manager = R(9, { role: 'Manager', permissions: { grants: [grant('Dept', 'Granted')] } });
  const values = ['Used again', 'Granted', 'Scored', 'Written', 'Gone'];
  const people = await newWorkforce(
    database,
    values.map((value, n) => R(n, dept(value))),
  );
  const ids = await options(people);
  const { accountId } = people.account;
  await db.query(
    `insert into scoring.response (account_id, ordinal, id, revision, digest, survey_id, cycle_id, submitted_us, respondent, option_ids, sequence)
     values ($1, 0, $2, 1, '', 1, $2, 0, 0, array[$3::integer], 1)`,
    [accountId, randomUUID(), ids.get('Scored')],
  );
  await db.query(`insert into text.option_set (account_id, ordinal, option_ids, key) values ($1, 0, array[$2::integer], '')`, [
    accountId,
    ids.get('Written'),
  ]);
  const moved = values.map((_, n) => R(n, dept('Now')));
  await people.import([...moved, manager]);
  await check(people);
  await pass(people, 31);
  await people.import([...moved.slice(1), R(0, dept('Used again')), manager]);
  await people.import([...moved, manager]);
  await check(people);
  expect(await namesOf(people)).toEqual(['Used again', 'Granted', 'Scored', 'Written', 'Now']);
});
