import { fileURLToPath } from 'node:url';
import { openWorkingTables } from '@survey/import-reconciler/apply/working-tables.ts';
import { openMapTables } from '@survey/import-reconciler/rekey/rekey-map.ts';
import { Pool } from 'pg';
import ts from 'typescript-api';
import { afterAll, expect, inject, it } from 'vitest';
import { faultOf, findDeclaredQueries } from '../support/row-types.ts';
import { createDatabase } from '../support/postgres-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const database = await createDatabase(inject('postgres'));
const pool = new Pool({ connectionString: database.url });
const client = await pool.connect();
afterAll(async () => {
  // The pool ends before its connection does, which dropping the database then breaks.
  client.on('error', () => undefined);
  client.release();
  await pool.end();
  await database.drop();
});

const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, (file) => ts.sys.readFile(file));
const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);

// Statements of a Citus cluster, and those that surveyctl sends over a connection of its own, whose
// values the driver parses in another way.
const ELSEWHERE = /\/citus\/|\/(inspect-database|inspect-pooler|statement-plans|database-statistics)\.ts$/;

const files = ['packages', 'services']
  .flatMap((folder) => ts.sys.readDirectory(ROOT + folder, ['.ts'], ['**/node_modules']))
  .filter((file) => file.includes('/src/') && !file.endsWith('.test.ts') && !ELSEWHERE.test(file));

// Declared row, statement, and what the check says.
const SEEDED: readonly (readonly [string, string, string | undefined])[] = [
  ['{ account_id: number; created_at: string }', 'select account_id, created_at from ${TABLE}', undefined],
  ['{ id: number }', 'select account_id from ${TABLE}', 'has no column id'],
  ['{ account_id: string }', 'select account_id from ${TABLE}', 'account_id is number, and declared as string'],
  ['{ created_at: Date }', 'select created_at from ${TABLE}', 'created_at is string, and declared as date'],
  ['{ ids: number }', 'select array_agg(account_id) as ids from ${TABLE}', 'ids is array, and declared as number'],
  ['{ hash: string }', 'select hash from admin.api_key', 'hash is bytes, and declared as string'],
  ['{ nick: string }', 'select nick from ${TABLE}', 'error: column "nick" does not exist'],
];

// One program for both tests, because reading the declarations of its libraries takes seconds.
const SEEDED_FILE = `${ROOT}declared.ts`;
const seededText = `declare const db: { query<Row>(statement: string): Row };
  const TABLE = 'admin.account';
  ${SEEDED.map(([row, statement]) => `db.query<${row}>(\`${statement}\`);`).join('\n')}`;
const real = ts.createCompilerHost(options);
const host: ts.CompilerHost = {
  ...real,
  getSourceFile: (file, version) =>
    file === SEEDED_FILE ? ts.createSourceFile(file, seededText, version) : real.getSourceFile(file, version),
  fileExists: (file) => file === SEEDED_FILE || real.fileExists(file),
};
const program = ts.createProgram([...files, SEEDED_FILE], options, host);

it('declares the rows of every statement as PostgreSQL describes them', async () => {
  const queries = findDeclaredQueries(program, (file) => files.includes(file));
  const constant = queries.filter(({ statements }) => statements.length > 0);
  // Others are composed by code that the evaluation does not follow.
  expect(constant.length / queries.length).toBeGreaterThan(0.85);
  await openWorkingTables(client);
  await openMapTables(client);
  const faults: string[] = [];
  for (const query of constant) {
    const fault = await faultOf(client, query);
    if (fault !== undefined) faults.push(`${query.place.replace(ROOT, '')}: ${fault}`);
  }
  expect(faults).toEqual([]);
});

it('finds each seeded fault', async () => {
  const queries = findDeclaredQueries(program, (file) => file === SEEDED_FILE);
  const faults: (string | undefined)[] = [];
  for (const query of queries) faults.push(await faultOf(client, query));
  expect(faults).toEqual(SEEDED.map(([, , fault]) => fault));
});
