import { roleUrl } from '@survey/local/service-environments.ts';
import { migrate, ROLES, type Role } from '@survey/postgres/migrate.ts';
import { Client } from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openIntake, question, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { records } from '../support/records.ts';

// A PostgreSQL role has only its granted privileges, and row-level security hides other
// accounts even from queries without an account filter.
const { db, operator, importAndWait, stack } = await startFileStack();
const [account, other] = [await operator.createAccount(), await operator.createAccount()];
const intake = await openIntake(stack);
for (const { accountId } of [account, other]) {
  await intake.publishFacts(accountId, 'survey', [survey(1)]);
  await intake.publishFacts(accountId, 'question', [question(1)]);
}
for (const one of [account, other]) await importAndWait(one, records(1, 3));

const PRIVILEGES = ['select', 'insert', 'update', 'delete'] as const;
type Privilege = (typeof PRIVILEGES)[number];

interface Table {
  readonly name: string;
  readonly schema: string;
  readonly hasAccount: boolean;
  readonly isIsolated: boolean;
}

const { rows: tables } = await db.query<Table>(`
  select format('%I.%I', n.nspname, c.relname) as name, n.nspname as schema,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped) as "hasAccount",
         c.relrowsecurity and c.relforcerowsecurity as "isIsolated"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_%'
  order by 1`);

const { rows: grants } = await db.query<{ granted: string }>(`
  select distinct format('%s %s %I.%I', grantee, lower(privilege_type), table_schema, table_name) as granted
  from information_schema.role_table_grants where grantee like 'survey\\_%'`);
const granted = new Set(grants.map((row) => row.granted));
const { rows: columnGrants } = await db.query<{ granted: string }>(`
  select distinct format('%s %s %I.%I', grantee, lower(privilege_type), table_schema, table_name) as granted
  from information_schema.role_column_grants where grantee like 'survey\\_%'`);
const grantedInPart = new Set(columnGrants.map((row) => row.granted));

// Role that writes each schema.
const WRITER: Readonly<Record<string, Role>> = {
  admin: 'survey_admin',
  export: 'survey_export',
  imports: 'survey_imports',
  scoring: 'survey_scoring',
  text: 'survey_text',
};
// The list of accounts, and due work of all accounts.
const NOT_ISOLATED = /^(admin\.account|[a-z]+\.due|public\.migration)$/;
// Relays read and mark the messages of all accounts.
const RELAYED = /\.outbox$/;

// Privileges of every role in PostgreSQL.
const USERS_OF_DEFAULTS: Readonly<Record<string, readonly Role[]>> = {
  'create temporary table own (id int)': ['survey_imports'],
  'select pg_try_advisory_xact_lock(1)': ['survey_admin', 'survey_imports', 'survey_text'],
  'select pg_advisory_xact_lock(1)': ['survey_export', 'survey_imports'],
  'select pg_advisory_xact_lock_shared(1)': ['survey_export', 'survey_imports', 'survey_scoring', 'survey_text'],
  'select pg_advisory_lock(1)': [],
  'select pg_try_advisory_lock_shared(1, 1)': [],
  'select lo_create(0)': [],
  "select lo_from_bytea(0, 'x')": [],
};
// The database is a copy of a template and therefore has PostgreSQL's default grants.
await migrate({ databaseUrl: stack.databaseUrl });

const clients = new AsyncDisposableStack();
afterAll(() => clients.disposeAsync());
async function connectAs(role: Role): Promise<Client> {
  const client = new Client({ connectionString: roleUrl(stack.databaseUrl, role, inject('postgres').rolePasswords[role]) });
  await client.connect();
  clients.defer(() => client.end());
  return client;
}

const attempt: Readonly<Record<Privilege, (table: string) => string>> = {
  select: (table) => `select * from ${table} limit 0`,
  insert: (table) => `insert into ${table} default values`,
  // The database generates the key of the list of accounts.
  update: (table) => `update ${table} set ${table === 'admin.account' ? 'name = name' : 'account_id = account_id'} where false`,
  delete: (table) => `delete from ${table} where false`,
};

async function stateOf(client: Client, statement: string): Promise<string> {
  return client.query(statement).then(
    () => 'done',
    (error: unknown) => String(Object(error).code),
  );
}

describe.each(ROLES)('%s', (role) => {
  it('has no privilege on any table except its grants', async () => {
    const client = await connectAs(role);
    const denied = tables.flatMap(({ name, hasAccount }) =>
      PRIVILEGES.filter((verb) => !granted.has(`${role} ${verb} ${name}`) && !grantedInPart.has(`${role} ${verb} ${name}`))
        .filter((verb) => hasAccount || verb !== 'update')
        .map((verb) => attempt[verb](name)),
    );
    expect(denied.length).toBeGreaterThan(20);
    const outcomes = [];
    for (const statement of denied) outcomes.push([statement, await stateOf(client, statement)]);
    expect(outcomes.filter(([, state]) => state !== '42501')).toEqual([]);
  });

  it('owns no object and cannot extend its privileges', async () => {
    const client = await connectAs(role);
    const { rows } = await db.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
              (select count(*)::integer from pg_class where relowner = r.oid and relpersistence <> 't') as owned
       from pg_roles r where rolname = $1`,
      [role],
    );
    const nothing = { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false };
    expect(rows).toEqual([{ ...nothing, owned: 0 }]);
    for (const statement of [
      `alter role ${role} bypassrls`,
      'alter table admin.api_key disable row level security',
      'drop policy own_account on admin.api_key',
      'create schema spy',
      'create table public.spy (x integer)',
      ...[...ROLES, 'survey_definer'].filter((one) => one !== role).map((one) => `set role ${one}`),
    ])
      expect([statement, await stateOf(client, statement)]).toEqual([statement, '42501']);
  });

  it('creates temporary tables and takes advisory locks only if its service needs them', async () => {
    const client = await connectAs(role);
    const outcomes = [];
    for (const [statement, users] of Object.entries(USERS_OF_DEFAULTS))
      outcomes.push([statement, await stateOf(client, statement), users.includes(role) ? 'done' : '42501']);
    expect(outcomes.filter(([, state, expected]) => state !== expected)).toEqual([]);
  });

  it('reads no row of another account in any table without an account filter', async () => {
    const client = await connectAs(role);
    const readable = tables.filter(
      ({ name, isIsolated }) => isIsolated && !RELAYED.test(name) && granted.has(`${role} select ${name}`),
    );
    const seen = [];
    for (const { name } of readable) {
      await client.query(`begin; set local survey.account_id = ${other.accountId}`);
      const { rows } = await client.query<{ foreign: number }>(
        `select count(*) filter (where account_id <> ${other.accountId})::integer as foreign from ${name}`,
      );
      await client.query('rollback');
      const { rowCount } = await client.query(`select from ${name} limit 1`);
      seen.push([name, rows[0]?.foreign, rowCount]);
    }
    expect(seen.filter(([, foreign, outside]) => foreign !== 0 || outside !== 0)).toEqual([]);
  });

  it('enqueues no message for another account', async () => {
    const client = await connectAs(role);
    for (const { name } of tables.filter(({ name }) => RELAYED.test(name) && granted.has(`${role} insert ${name}`))) {
      await client.query(`begin; set local survey.account_id = ${other.accountId}`);
      const insert = `insert into ${name} (account_id, subject, payload) values (${account.accountId}, 'x', '')`;
      expect([name, await stateOf(client, insert)]).toEqual([name, '42501']);
      await client.query('rollback');
    }
  });

  it('writes no row of another account', async () => {
    const client = await connectAs(role);
    const writable = tables.filter(
      ({ name, isIsolated }) => isIsolated && !RELAYED.test(name) && granted.has(`${role} update ${name}`),
    );
    for (const { name } of writable) {
      await client.query(`begin; set local survey.account_id = ${other.accountId}`);
      const touched = await client.query(`update ${name} set account_id = account_id where account_id = ${account.accountId}`);
      await client.query('rollback');
      expect([name, touched.rowCount]).toEqual([name, 0]);
    }
  });
});

it('every function that sees all accounts belongs to survey_definer, which cannot log in and writes only these tables', async () => {
  const { rows } = await db.query<{ owners: string; login: boolean }>(
    `select string_agg(distinct proowner::regrole::text, ' ') as owners, bool_or(rolcanlogin) as login
     from pg_proc join pg_roles on pg_roles.oid = proowner where prosecdef and pronamespace > 16383`,
  );
  expect(rows).toEqual([{ owners: 'survey_definer', login: false }]);
  const written = [...granted].flatMap((grant) => /^survey_definer (?:insert|update|delete) (.*)$/.exec(grant)?.[1] ?? []);
  expect([...new Set(written)].sort()).toEqual([
    'admin.audit',
    'admin.invitation',
    'admin.key_usage',
    'imports.erased_employee',
    'imports.import',
    'imports.mail',
    'imports.offboarding',
    'imports.payload',
    'imports.record_result',
    'imports.upload',
  ]);
});

it('both accounts have rows in every table', async () => {
  for (const table of ['imports.employee', 'imports.import', 'export.survey', 'scoring.question', 'admin.api_key']) {
    const { rows } = await db.query(`select distinct account_id from ${table} where account_id = any ($1)`, [
      [account.accountId, other.accountId],
    ]);
    expect([table, rows.length]).toEqual([table, 2]);
  }
});

it('every table with account data has forced row-level security', () => {
  const open = tables.filter(({ name, isIsolated, hasAccount }) => hasAccount && !isIsolated && !NOT_ISOLATED.test(name));
  expect(open.map(({ name }) => name)).toEqual([]);
});

it('each table is written only by the service of its schema', () => {
  const others = ROLES.flatMap((role) =>
    tables.flatMap(({ name, schema }) =>
      PRIVILEGES.filter((verb) => verb !== 'select' && granted.has(`${role} ${verb} ${name}`))
        .filter(() => WRITER[schema] !== role)
        .map((verb) => `${role} ${verb} ${name}`),
    ),
  );
  expect(others).toEqual([]);
});

it('lets no service change or delete entries of the audit log, nor certificates of deletions [DATA-AUDIT-1]', () => {
  const forbidden = ['admin.audit', 'admin.deleted_rows'].flatMap((table) => [`delete ${table}`, `truncate ${table}`]);
  for (const role of ROLES)
    for (const privilege of ['update admin.audit', ...forbidden]) expect(granted).not.toContain(`${role} ${privilege}`);
  expect(granted).toContain('survey_admin insert admin.audit');
});
