import { FIND_EMPLOYEES } from '@survey/bus/facts/employees.ts';
import { SAVE_ASSIGNMENTS } from '@survey/export/facts/assignments.ts';
import { KNOWN_RESPONSES, REMOVE_ANSWERS, SAVE_RESPONSES } from '@survey/scoring-anonymity/facts/save-responses.ts';
import { SELECT_ANSWERS } from '@survey/text-analysis/answers/load-answers.ts';
import { KINDS } from '@survey/text-analysis/facts/apply-responses.ts';
import { KNOWN_ANSWERS } from '@survey/text-analysis/facts/replace-answers.ts';
import { KNOWN_VERSIONS, SAVE_RESPONSES as SAVE_TEXT_RESPONSES } from '@survey/text-analysis/facts/save-responses.ts';
import { QUEUE_ANSWERS } from '@survey/text-analysis/stages/queue-answers.ts';
import type { Role } from '@survey/postgres/migrate.ts';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { emptyAccount, employeeId, fillAccount, FILLED_TABLES, responseId } from '../support/filled-account.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { rowsRead } from '../support/query-plan.ts';

// No plan may depend on what else is in the tables
// (docs/adr/0029-no-plan-depends-on-neighbours.md). Facts of a batch.
const BATCH = 200;
const LARGE = 30_000;
const RESPONDENTS = 10_000;

const wanted = Array.from({ length: BATCH }, (_, n) => 1 + n * Math.floor(RESPONDENTS / BATCH));
const each = <T>(valueOf: (n: number) => T): T[] => wanted.map(valueOf);
const digests = each(() => Buffer.alloc(32));
const zeros = each(() => 0);
const ids = (accountId: number): string[] => each((n) => responseId(accountId, n));

interface PlannedStatement {
  readonly role: Role;
  readonly sql: string;
  // Parameters after the account.
  readonly values: (accountId: number) => readonly unknown[];
  // Rows that it may read from tables, whatever else these hold.
  readonly bound: number;
  // Runs only in transactions that plan for any account, because its other form would not suit
  // Citus.
  readonly isGeneric?: boolean;
}

const statementOf =
  (role: Role) =>
  (sql: string, values: PlannedStatement['values'], bound: number): PlannedStatement => ({ role, sql, values, bound });
const text = statementOf('survey_text');
const scoring = statementOf('survey_scoring');
const exporting = statementOf('survey_export');

const STATEMENTS: Readonly<Record<string, PlannedStatement>> = {
  'text: known versions': text(KNOWN_VERSIONS, (id) => [ids(id)], BATCH),
  'text: save responses': text(
    SAVE_TEXT_RESPONSES,
    (id) => [ids(id), zeros, digests, zeros, zeros, zeros, each(() => false), each(employeeId), zeros],
    2 * BATCH,
  ),
  'text: known answers': text(KNOWN_ANSWERS, (id) => [ids(id)], 2 * BATCH),
  'text: queue answers': text(QUEUE_ANSWERS, () => [['mask', 'categorise'], each((n) => 2 * n)], 2 * BATCH),
  'text: respondents': text(KINDS.respondents.find, () => [each((n) => String(employeeId(n)))], BATCH),
  'text: option sets': text(KINDS.option_sets.find, () => [each((n) => String(n % 50))], 50),
  'text: load answers': text(SELECT_ANSWERS, () => [], 8 * RESPONDENTS),
  'scoring: known responses': scoring(KNOWN_RESPONSES, (id) => [ids(id)], BATCH),
  'scoring: remove answers': {
    ...scoring(REMOVE_ANSWERS, () => [each((n) => n), each((n) => RESPONDENTS + n)], 6 * BATCH),
    isGeneric: true,
  },
  'scoring: save responses': scoring(
    SAVE_RESPONSES,
    (id) => [
      each((n) => n - 1),
      ids(id),
      zeros,
      digests,
      zeros,
      zeros,
      zeros,
      each(() => '{}'),
      zeros,
      each(() => responseId(1, 1)),
    ],
    BATCH,
  ),
  'export: find employees': exporting(FIND_EMPLOYEES, () => [each(employeeId), each((n) => `HR-${n}`)], 2 * BATCH),
  'export: save assignments': exporting(
    SAVE_ASSIGNMENTS,
    () => [each((n) => n), zeros, zeros, each(() => '2026-01-01'), each(() => null), each(() => 9), digests],
    BATCH,
  ),
};

const server = inject('postgres');

describe.each(['alone', 'new beside large accounts', 'deleted and loaded again'])('an account %s', (world) => {
  let db: Pool;
  let accountId = 0;
  let drop = async (): Promise<void> => {};

  beforeAll(async () => {
    const database = await createDatabase(server);
    db = new Pool({ connectionString: database.url, max: 1 });
    // The pool's end does not wait for its connection, which dropping the database may terminate.
    db.on('connect', (client) => client.on('error', () => {}));
    drop = () => db.end().then(() => database.drop());
    const load = async (respondents: number): Promise<number> => {
      const { rows } = await db.query<{ account_id: string }>(
        `insert into admin.account (name) values ('A') returning account_id`,
      );
      await fillAccount(db, Number(rows[0]?.account_id), respondents);
      return Number(rows[0]?.account_id);
    };
    for (const table of FILLED_TABLES) await db.query(`alter table ${table} set (autovacuum_enabled = off)`);
    if (world !== 'alone') {
      for (let n = 0; n < 4; n++) await load(LARGE);
      await db.query(`analyze ${FILLED_TABLES.join(', ')}`);
    }
    accountId = await load(RESPONDENTS);
    if (world === 'deleted and loaded again') {
      await emptyAccount(db, accountId);
      await fillAccount(db, accountId, RESPONDENTS);
    }
  }, 120_000);
  afterAll(() => drop());

  it('has no statistics of account_id that could make it look small', async () => {
    const { rows } = await db.query(
      `select attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = attrelid
       where attname = 'account_id' and relkind in ('r', 'p') and not attisdropped and (
         attstattarget is distinct from 0 or exists (select from pg_statistic where starelid = attrelid and staattnum = attnum))`,
    );
    expect(rows).toEqual([]);
  });

  describe.each(['custom', 'generic'] as const)('by %s plans', (plans) => {
    const planned = Object.entries(STATEMENTS).filter(([, { isGeneric = false }]) => plans === 'generic' || !isGeneric);
    it.each(planned)(
      '%s reads no more rows than its bound',
      { timeout: 120_000 },
      async (_name, { role, sql, values, bound }) => {
        const rows = await rowsRead(db, { accountId, role, sql, values: [accountId, ...values(accountId)], plans });
        expect(rows).toBeLessThanOrEqual(bound);
      },
    );
  });
});
