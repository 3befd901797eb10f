import { accountDeletionWork } from '@survey/bus/account-deletion.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { AccountClosedError } from '@survey/postgres/account-rows.ts';
import { failpoint, onFailpoint } from '@survey/process/failpoint.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { eraseEmployee } from '@survey/text-analysis/erasure/erase-texts.ts';
import { Client } from 'pg';
import type { TextDatabase } from '../../property/text-database.ts';
import { arrangeEmployee } from '../../support/employees.ts';
import { response, uuidOf } from '../../support/facts.ts';
import type { Schedule } from './explore.ts';
import { ScheduleRun } from './run-schedule.ts';

// What the schedules of both stages of texts have in common.

/** Whom an erasure erases. */
export const NAME = 'Quintessa Vandersloot';
const [FIRSTNAME = '', LASTNAME = ''] = NAME.split(' ');
const EMPLOYEE = 2;

export async function arrangePeople({ db }: TextDatabase, accountId: number): Promise<void> {
  await arrangeEmployee(db, accountId, { id: 1, email: 'a@x.io' });
  await arrangeEmployee(db, accountId, { id: EMPLOYEE, email: 'q@x.io', firstname: FIRSTNAME, lastname: LASTNAME });
}

/** A response with one text, or without. */
export const factOf = (text: string | null, revision: number): Fact =>
  response(uuidOf(1), { answers: text === null ? [] : [{ question_id: 15, option_ids: [], text }] }, revision);

export async function erase({ text: pool, db }: TextDatabase, accountId: number): Promise<unknown> {
  await db.query(
    `with emptied as (
       update imports.employee set firstname = null, lastname = null where account_id = $1 and id = $2 returning id
     )
     insert into imports.erased_employee (account_id, employee_id, answers, erased_at, firstname, lastname, email)
     select $1, id, 'anonymise', now(), $3, $4, 'q@x.io' from emptied`,
    [accountId, EMPLOYEE, FIRSTNAME, LASTNAME],
  );
  return employeeErasureWork(pool, 'text', eraseEmployee(pool)).work(accountId);
}

export async function deleteAccount({ text: pool, db }: TextDatabase, accountId: number): Promise<void> {
  await db.query("update admin.account set closed_at = now() - interval '1 minute' where account_id = $1", [accountId]);
  await failpoint('deletion.closed');
  const { work: deleteRows } = accountDeletionWork(pool, 'text');
  while ((await deleteRows(accountId)) !== undefined);
}

/** Takes the steps; nothing is wrong with a call that finds its account closed. */
export async function runSteps(
  steps: Schedule<unknown>['steps'],
  calls: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  const untilClosed = (call: () => Promise<unknown>) => () =>
    call().catch((error: unknown) => {
      if (!(error instanceof AccountClosedError)) throw error;
    });
  const run = new ScheduleRun(
    steps,
    Object.fromEntries(Object.entries(calls).map(([actor, call]) => [actor, untilClosed(call)])),
  );
  onFailpoint((point) => run.reach(point));
  try {
    await run.runAll();
    run.end();
    await run.ended();
  } finally {
    run.end();
    onFailpoint(undefined);
  }
}

/** Does work while a line of statements is replaced. Returns how often it was. */
export async function withReplacedLine(line: string, replacement: string, work: () => Promise<void>): Promise<number> {
  const query: unknown = Reflect.get(Client.prototype, 'query');
  if (typeof query !== 'function') throw new Error('expected a method');
  let replaced = 0;
  Client.prototype.query = function altered(this: Client, text: unknown, ...rest: unknown[]): unknown {
    if (typeof text !== 'string' || !text.includes(line)) return Reflect.apply(query, this, [text, ...rest]);
    replaced += 1;
    return Reflect.apply(query, this, [text.replace(line, replacement), ...rest]);
  } as typeof Client.prototype.query;
  try {
    await work();
  } finally {
    Reflect.set(Client.prototype, 'query', query);
  }
  return replaced;
}
