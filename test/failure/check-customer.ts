import { IDENTITY_WARNINGS } from '@survey/formats/import-reasons.ts';
import { readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '@survey/postgres/database.ts';
import { ImportEvent } from '@survey/proto/events/v1/events.ts';
import { importSnapshot } from '../support/import/import-model.ts';
import { NOBODY, type ImportOutcome, type Organisation } from '../support/import/organisation.ts';
import { readOrganisation } from '../support/import/read-organisation.ts';
import { readOutcome } from '../support/import/outcome.ts';
import type { Customer } from './customer.ts';
import type { FaultyStack } from './faulty-stack.ts';
import { waitUntilIdle } from './wait-until-idle.ts';
import { expectedEmployees, listEmployees } from './listed-employees.ts';

interface ImportRow {
  readonly import_uuid: string;
  readonly idempotency_key: string;
  readonly year: number;
  readonly attempts: number;
}

const MAX_ATTEMPTS = 5;
const IDLE_WITHIN_MS = 60_000;

/**
 * Checks that an account is as if nothing had failed. Every accepted import exists and ended as the
 * model predicts, in the tables and through HTTP, with one final event, and one summary if records
 * were skipped. Returns all differences.
 */
export async function checkCustomer(stack: FaultyStack, customer: Customer): Promise<string[]> {
  const { db } = stack;
  const { accountId } = customer.account;
  const imports = await readImports(db, accountId);
  const wrong = [...customer.promised]
    .filter((promised) => !imports.some(({ import_uuid }) => import_uuid === promised))
    .map((promised) => `lost: import ${promised} was accepted and does not exist`);
  let organisation = NOBODY;
  const outcomes = new Map<string, ImportOutcome>();
  for (const { import_uuid, idempotency_key, year, attempts } of imports) {
    const outcome = await readOutcome(db, accountId, import_uuid);
    outcomes.set(import_uuid, outcome);
    if (outcome.state === 'failed' && attempts > MAX_ATTEMPTS) continue;
    const around = { year, defaultLanguage: 'de', threshold: '100', deletesAllowed: false };
    const expected = importSnapshot(organisation, customer.sent.get(idempotency_key) ?? [], around);
    organisation = expected.organisation;
    wrong.push(...difference(`the outcome of import ${import_uuid}`, outcome, expected.outcome));
  }
  wrong.push(...(await checkOrganisation(stack, customer, organisation)));
  wrong.push(...(await checkEvents(db, accountId, outcomes)));
  wrong.push(...(await checkMails(stack, outcomes)));
  return wrong.map((what) => `account ${accountId}: ${what}`);
}

/** Checks several customers once the stack is idle, and that only killed processes have exited. */
export async function checkAll(stack: FaultyStack, customers: readonly Customer[]): Promise<string[]> {
  const ids = customers.map(({ account }) => account.accountId);
  const wrong = [...stack.workers, ...stack.gateways].flatMap(({ deaths }) => deaths);
  try {
    await waitUntilIdle(stack.db, ids, IDLE_WITHIN_MS, true);
  } catch (error) {
    return [...wrong, String(error)];
  }
  for (const customer of customers) wrong.push(...(await checkCustomer(stack, customer)));
  return wrong;
}

async function readImports(db: Pool, accountId: number): Promise<ImportRow[]> {
  const { rows } = await db.query<ImportRow>(
    `select import_uuid, idempotency_key, extract(year from accepted_at at time zone 'utc')::int as year, attempts
     from imports.import where account_id = $1 order by accepted_at`,
    [accountId],
  );
  return rows;
}

async function checkOrganisation(stack: FaultyStack, customer: Customer, organisation: Organisation): Promise<string[]> {
  const expected = { ...organisation, people: organisation.people.toSorted((a, b) => a.id - b.id) };
  return [
    ...difference('the organisation', await readOrganisation(stack.db, customer.account.accountId), expected),
    ...difference('what is listed', await listEmployees(stack, customer), expectedEmployees(expected)),
  ];
}

// Read from the outbox: events that the bus lost together with its store were published too.
async function checkEvents(db: Pool, accountId: number, outcomes: ReadonlyMap<string, ImportOutcome>): Promise<string[]> {
  const { rows } = await db.query<{ subject: string; payload: Buffer; sequence: number }>(
    `select subject, payload, sequence from imports.outbox where account_id = $1 and subject like 'events.%' order by id`,
    [accountId],
  );
  const published = rows
    .filter(({ subject }) => subject.startsWith('events.import.'))
    .map(({ subject, payload }) => `${ImportEvent.decode(payload).import_uuid} ${subject}`);
  const expected = [...outcomes].flatMap(([importUuid, { state }]) =>
    ['accepted', state].map((what) => `${importUuid} events.import.${what}`),
  );
  const sequences = rows.map(({ sequence }) => sequence);
  return [
    ...difference('the events of imports', published.toSorted(), expected.toSorted()),
    ...difference(
      'the numbers of its events',
      sequences,
      sequences.map((_, at) => at + 1),
    ),
  ];
}

async function checkMails({ db, mailDir }: FaultyStack, outcomes: ReadonlyMap<string, ImportOutcome>): Promise<string[]> {
  const files = await readdir(mailDir);
  const wrong: string[] = [];
  for (const [importUuid, { state, counts, records }] of outcomes) {
    const { rows } = await db.query<{ mails: number; isRemarkable: boolean }>(
      `select (select count(*)::integer from imports.mail m where m.import_uuid = i.import_uuid) as mails,
         i.warnings <> '[]' as "isRemarkable"
       from imports.import i where i.import_uuid = $1`,
      [importUuid],
    );
    const { mails = 0, isRemarkable = false } = rows[0] ?? {};
    const sent = files.filter((name) => name.includes(importUuid) && name.endsWith('.eml')).length;
    const due = state !== 'applied' || (counts['skipped'] ?? 0) > 0 || isRemarkable || records.some(isAboutIdentity) ? 1 : 0;
    if (mails !== due || (due === 0 && sent > 0)) wrong.push(`import ${importUuid}: ${mails} mails, ${sent} sent, ${due} due`);
  }
  return wrong;
}

const isAboutIdentity = ({ warnings }: ImportOutcome['records'][number]): boolean =>
  warnings.some((warning) => IDENTITY_WARNINGS.some((code) => warning.startsWith(`${code} `)));

function difference(what: string, found: unknown, expected: unknown): string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  return [`${what} differs from the model:\n  found    ${JSON.stringify(found)}\n  expected ${JSON.stringify(expected)}`];
}
