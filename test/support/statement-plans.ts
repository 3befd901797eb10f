import { DEFAULT_SETTINGS } from '@survey/account-admin/settings/account-settings.ts';
import { ROLES, type Role } from '@survey/postgres/migrate.ts';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findStatements, type ConstantStatement } from './constant-statements.ts';
import { type AccountSize, digestIn, openPlanWorld, uuidIn } from './plan-world.ts';
import { createDatabase } from './postgres-server.ts';
import { rowsRead } from './query-plan.ts';

// No plan may depend on what else is in the tables
// (docs/adr/0029-no-plan-depends-on-neighbours.md). Every statement that the sources declare runs
// with values of the types that it asks for: lists have BATCH of them, all of which exist.
const ROOT = new URL('../..', import.meta.url).pathname;
const SOURCES = [
  'services/{account-admin,export,gateway,import-reconciler,scoring-anonymity,text-analysis}/src/**/*.ts',
  'packages/{bus,postgres}/src/**/*.ts',
];
// Not statements of the services' roles on our tables.
const LEFT_OUT = /\.test\.ts$|^packages\/postgres\/src\/(?:citus\/|migrate|schema-compatibility|inspect-|database-statistics)/;
const ROLE_OF_FOLDER: Readonly<Record<string, Role>> = {
  'services/account-admin': 'survey_admin',
  'services/export': 'survey_export',
  'services/gateway': 'survey_gateway',
  'services/import-reconciler': 'survey_imports',
  'services/scoring-anonymity': 'survey_scoring',
  'services/text-analysis': 'survey_text',
};
const SCHEMAS = { schema: ['admin', 'imports', 'export', 'scoring', 'text'], name: ['topics', 'masks', 'texts'] };

const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !LEFT_OUT.test(file));
export const declared = findStatements(
  files.sort().map((file) => join(ROOT, file)),
  SCHEMAS,
);

const BATCH = 200;
// Each value is looked up in each table of a statement, some of which have a few rows of it.
const DEFAULT_BOUND = 15 * BATCH;
// Above all numbers that exist.
const UNUSED = 500_000;

// Statements whose task is more than a batch, by file and constant or function. `rows` is what they
// may read of an account.
const EXCEPTIONS: readonly Exception[] = [
  {
    reason: 'caches, counts or reports a whole account',
    rows: ({ responses }) => 18 * responses,
    statements: [
      'accounts countManaged',
      'anonymity-report CYCLES',
      'attributes COUNTS',
      'employees-page BLOCKS',
      'explain-keywords LANGUAGES',
      'answer-cache SELECT_ANSWERS',
      'answer-cache loadAnswers',
      'list-offboarded SHARED',
      'list-survey-cycles PAGE_STARTS',
      'answer-cache STATE',
      'read-blocks FIND',
      'read-blocks readNewBlocks',
      'requeue-answers RETRY',
      'roster OPTIONS',
      'roster erased',
      'roster loadRoster',
      'show-text-status OVERALL',
      'show-text-status STAGES',
      'decided-answers READ',
      'stored-dictionary loadDictionary',
      'tally-answers TALLY',
      'tally-answers TALLY_OF_SURVEYS',
      'withhold-answer WITH_TEXT',
    ],
  },
  {
    reason: 'reads what has changed since the last time, here nearly everything',
    rows: ({ responses }) => 9 * responses,
    statements: [
      'account-snapshot SNAPSHOT',
      'make-blocks MARK',
      'make-blocks NEXT',
      'make-blocks SETTLE',
      'position resumeOutbox',
    ],
  },
  {
    reason: 'looks through the employees or responses of an account, once for each day, import, erasure, click or rejection',
    rows: ({ responses }) => 3 * responses,
    statements: [
      'admins MAILS',
      'apply-survey-facts FIND_FIXED',
      'backfill clearStage',
      'deferred-facts rejectDeferred',
      'expire-texts deleteResponses',
      'attributes VALUES',
      'change-values FORGET_RECORDS',
      'change-values HOLDERS',
      'change-values MOVE',
      'delete-unused-values DELETE',
      'delete-unused-values EXPIRED',
      'delete-unused-values MARK',
      'delete-unused-values deleteUnused',
      'delete-unused-values markUnused',
      'invitations ENDED',
      'mails scheduleLateMail',
      'make-blocks STATE',
      'import-warnings UNMATCHED_GRANTS',
      'stored-dictionary saveDictionary',
      'assignments DELETE',
      'erase-employee-data DELETE_REST',
      'erase-employee-data EMPTY',
      'erase-employee-data RENAME_OPTIONS',
      'erase-employee-references REFERENCES',
      'delete-answers DELETE',
      'delete-answers unlinkResponses',
      'erase-texts responsesOf',
      'erase-texts unlinkResponses',
      'delete-answers deleteExpiredCycle',
      'invalidate-content-hashes invalidateContentHashes',
      'offboard offboard',
      'offboard releaseReports',
      'offboard saveOffboarded',
      'request-erasure FIND',
      'show-employee VIEWER',
      'supervisor-edges noteCycles',
      'withhold-answer answerOf',
    ],
  },
  {
    reason: 'looks through the pending answers of each stage, once for each erasure',
    rows: ({ responses }) => 6 * responses,
    statements: ['erase-texts SAVE'],
  },
  {
    reason: 'may change all employees of an account, at the command of an operator',
    rows: ({ responses }) => 9 * responses,
    statements: ['rekey-employees WRITES'],
  },
  {
    reason: 'finds or updates rows by key; PostgreSQL reads 100 rows of a small table in the time of one look-up',
    rows: () => 250 * BATCH,
    statements: [
      'mask-stage SAVE',
      'pending BEGIN',
      'pending HAND_OUT',
      'pending isSuspect',
      'pending deletePending',
      'pending dispatchAlone',
      'pending endAttempt',
      'pending scheduleRetry',
      'pending stillPending',
      'unscored-pairs SAVE',
    ],
  },
  {
    reason: 'reads the released attributes of an account, of which there are few',
    rows: ({ responses }) => 3 * responses,
    statements: ['conditional-page VERSIONS'],
  },
  {
    reason: 'counts the answers of the topics of an account, and looks at them once for each question',
    rows: () => Infinity,
    statements: ['topic-answers COUNT', 'topic-answers COUNT_BY_CYCLE'],
  },
  {
    reason: 'sweeps over all accounts',
    rows: () => Infinity,
    statements: ['due claim', 'outbox deleteSent'],
  },
];

interface Exception {
  readonly reason: string;
  readonly rows: (own: AccountSize) => number;
  readonly statements: readonly string[];
}

// Facts are applied in transactions that plan for any account, so no plan is made for one.
const ONLY_GENERIC = /\/facts\//;
// Parameters that are left out are null; a kept plan must allow for both.
const ONLY_CUSTOM = /\/audit-log\.ts$/;

const keyOf = ({ file, name }: ConstantStatement): string => `${basename(file, '.ts')} ${name}`;

function boundOf(statement: ConstantStatement, own: AccountSize): number {
  return EXCEPTIONS.find(({ statements }) => statements.includes(keyOf(statement)))?.rows(own) ?? DEFAULT_BOUND;
}

/** Size of the account, and its neighbours: how many of which size. */
interface World {
  readonly own: AccountSize;
  readonly neighbours: readonly (readonly [count: number, size: AccountSize])[];
  // An account for each; one of them is deleted and loaded again.
  readonly loads?: readonly ('once' | 'again')[];
  // Whether the statistics know the account.
  readonly statistics: readonly ('stale' | 'fresh')[];
}

interface Excess {
  readonly statement: string;
  readonly rows: number;
  readonly bound: number;
}

/** Describes the tests of statements in a world. */
export function describeStatementPlans(title: string, world: World, statements: readonly ConstantStatement[]): void {
  const { own, neighbours, loads = ['once'] } = world;
  const cases = loads.flatMap((load) => PLANS.map((plans) => ({ load, plans })));
  describe.each([title])('%s', () => {
    let db: Pool;
    const accounts: Partial<Record<'once' | 'again', number>> = {};
    const loadedAccount = (load: 'once' | 'again'): LoadedAccount => ({ db, accountId: accounts[load] ?? 0, own });
    let drop = async (): Promise<void> => {};
    let analyze = async (): Promise<void> => {};

    beforeAll(async () => {
      const database = await createDatabase(inject('postgres'));
      db = new Pool({ connectionString: database.url, max: 1 });
      // The pool's end does not wait for its connection, which dropping the database may terminate.
      db.on('connect', (client) => client.on('error', () => {}));
      drop = () => db.end().then(() => database.drop());
      const tables = await openPlanWorld(db);
      analyze = () => tables.analyze();
      for (const [count, size] of neighbours) await tables.create(count, size);
      await analyze();
      for (const load of loads) [accounts[load] = 0] = await tables.create(1, own);
      if (accounts.again !== undefined) await tables.refill(accounts.again, own);
    }, 900_000);
    afterAll(() => drop());

    it('has no statistics of account_id that could make an account look small', async () => {
      const { rows } = await db.query(
        `select attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = attrelid
         where attname = 'account_id' and relkind in ('r', 'p') and not attisdropped and (
           attstattarget is distinct from 0 or exists (select from pg_statistic where starelid = attrelid and staattnum = attnum))`,
      );
      expect(rows).toEqual([]);
    });

    describe.each(world.statistics)('with %s statistics', (statistics) => {
      beforeAll(() => (statistics === 'fresh' ? analyze() : undefined));

      it.each(cases)(
        'reads no more rows of an account that is loaded $load than the bounds by $plans plans',
        { timeout: 900_000 },
        async ({ load, plans }) => {
          expect(await findExcesses(loadedAccount(load), statements, plans)).toEqual([]);
        },
      );
    });

    it('would find a missing index', { timeout: 900_000 }, async () => {
      await db.query(`alter table text.answer drop constraint answer_account_id_response_id_question_id_key`);
      const readers = statements.filter(({ name }) => name === 'STORED_ANSWERS');
      expect(await findExcesses(loadedAccount('once'), readers, 'generic')).toHaveLength(1);
    });
  });
}

const PLANS = ['custom', 'generic'] as const;

interface LoadedAccount {
  readonly db: Pool;
  readonly accountId: number;
  readonly own: AccountSize;
}

async function findExcesses(
  { db, accountId, own }: LoadedAccount,
  statements: readonly ConstantStatement[],
  plans: 'custom' | 'generic',
): Promise<Excess[]> {
  const excesses: Excess[] = [];
  const other = plans === 'generic' ? ONLY_CUSTOM : ONLY_GENERIC;
  for (const statement of statements.filter(({ file }) => !other.test(file))) {
    const bound = boundOf(statement, own);
    const rows = await rowsOf(db, accountId, own, statement, plans);
    if (rows > bound) excesses.push({ statement: `${statement.file} ${statement.name}`, rows, bound });
  }
  return excesses;
}

async function rowsOf(
  db: Pool,
  accountId: number,
  { responses }: AccountSize,
  { file, name, sql, isVariant }: ConstantStatement,
  plans: 'custom' | 'generic',
): Promise<number> {
  const folder = file.split('/').slice(0, 2).join('/');
  const roles: readonly Role[] = ROLE_OF_FOLDER[folder] === undefined ? ROLES : [ROLE_OF_FOLDER[folder]];
  const valuesOf = (types: readonly string[]): unknown[] => valuesFor(types, { accountId, sql, every: responses / BATCH });
  let refusal: unknown;
  for (const role of roles) {
    try {
      return await rowsRead(db, { accountId, role, sql, valuesOf, plans });
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (isVariant && MISSING.has(code)) return 0;
      refusal = error;
      if (code !== INSUFFICIENT_PRIVILEGE) break;
    }
  }
  // A variant that no role may run: retention is none of export's.
  if (isVariant && (refusal as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return 0;
  throw new Error(`cannot explain ${file} ${name}`, { cause: refusal });
}

// Undefined table, column and function: not every schema has each of them.
const MISSING: ReadonlySet<string> = new Set(['42P01', '42703', '42883']);
const INSUFFICIENT_PRIVILEGE = '42501';

/** Returns a value for each parameter, of its type or in the form that the statement casts to. */
function valuesFor(
  types: readonly string[],
  { accountId, sql, every }: { accountId: number; sql: string; every: number },
): unknown[] {
  // What is inserted must not exist.
  const first = /\binsert into\b/.test(sql) && !/\bon conflict\b/.test(sql) ? UNUSED : 0;
  return types.map((type, index) => {
    const parameter = `\\$${index + 1}\\b`;
    if (new RegExp(`account_id = ${parameter}`).test(sql) || (index === 0 && type === 'bigint')) return accountId;
    if (new RegExp(`stage = ${parameter}`).test(sql)) return 'mask';
    const form = FORMS.find(([pattern]) => pattern.test(sql))?.[1];
    const valueOf = (n: number): unknown =>
      /^text|^jsonb$/.test(type) && form ? form(accountId, n) : valueOfType(type.replace('[]', ''), accountId, n);
    if (!type.endsWith('[]')) return valueOf(100 * (index + 1) + first);
    return Array.from({ length: BATCH }, (_, n) => valueOf(1 + n * every + first));
  });
}

// Texts that a statement casts, and JSON that has to be complete.
const FORMS: readonly (readonly [RegExp, (accountId: number, n: number) => string])[] = [
  [/::text\[\]::bigint|n\.key::bigint|\(w\.ids, ','\)/, (_account, n) => String(n)],
  [/split_part\([nk](?:\.key)?, ' ', 1\)::uuid/, (accountId, n) => `${uuidIn(accountId, n)} ${n}`],
  [/'\{' \|\| n\.key/, (_account, n) => String(n)],
  [/decode\(k, 'hex'\)/, digestIn],
  [/null::admin\.settings/, (_account, version) => JSON.stringify({ ...DEFAULT_SETTINGS, version })],
  [/f\.option_ids::integer|c\.option_ids::bigint|r\.question_ids::bigint/, () => '{1}'],
];

function valueOfType(type: string, accountId: number, n: number): unknown {
  switch (type) {
    case 'bigint':
    case 'integer':
    case 'numeric':
      return n;
    case 'smallint':
    case 'real':
    case 'double precision':
      return 1;
    case 'uuid':
      return uuidIn(accountId, n);
    case 'text':
      return `v${n}`;
    case 'boolean':
      return false;
    case 'json':
    case 'jsonb':
      return '[]';
    case 'bytea':
      return Buffer.from(digestIn(accountId, n), 'hex');
    case 'regnamespace':
      return 'text';
    case 'date':
    case 'timestamp with time zone':
      return '2026-01-01';
    default:
      throw new Error(`no value of type ${type}`);
  }
}
