import type { Client } from 'pg';

// Everything that exists because of Citus: after the migrations, `migrate` distributes the tables
// once, and from then on every statement of the services runs as it does on one server, because
// each names its account first. Some forms of statements are rejected or reach all nodes there;
// packages/postgres/check/citus-forms.test.ts lists them, with the form to write instead, and finds
// them in all SQL of the repository. The only code outside that asks for Citus is the plan setting
// of database.ts, because Citus needs the parameters to plan.

// Tables of which every node has a copy: few rows, read with every account or found without one.
const REFERENCE_TABLES = [
  'account',
  'account_deletion',
  'account_issuer',
  'api_key',
  'identity',
  'integration',
  'invitation',
  'list_rendering',
  'notice_address',
  'released_attribute',
  'settings',
].map((name) => `admin.${name}`);

// The rest has rows of accounts. The sweep finds lost rows of `due`, so it may commit apart from
// the account's rows, and stays local to the coordinator, as do the positions on the bus.
const UNDISTRIBUTED = `
select c.oid::regclass::text as name, c.oid::regclass::text = any($1::text[]) as is_reference
from pg_class c
where c.relnamespace = any('{admin,imports,export,scoring,text}'::regnamespace[]) and c.relkind in ('r', 'p')
  and c.relname not in ('due', 'bus_position') and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)
order by is_reference desc, name`;

const FOREIGN_KEYS = `
select k.conrelid::regclass::text as table_name, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as definition
from pg_constraint k
where k.contype = 'f' and (k.conrelid = any($1::regclass[]) or k.confrelid = any($1::regclass[]))
order by 1, 2`;

// On plain PostgreSQL the right to insert includes the sequence of an identity column.
const SEQUENCE_GRANTS = `
select format('grant usage on sequence %s to %I', d.objid::regclass, r.rolname) as statement
from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' and d.deptype = 'i'
join pg_class c on c.oid = d.refobjid cross join aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and c.oid = any($1::regclass[])
  and a.privilege_type = 'INSERT'`;

/**
 * Distributes the tables over the nodes of a Citus cluster, so that all rows of an account are on
 * one node. Idempotent: call it after each migration.
 */
export async function distributeTables(client: Client): Promise<void> {
  await requireSettingsPassedOn(client);
  await client.query('begin');
  await client.query('set local client_min_messages = warning');
  await client.query('set local citus.multi_shard_modify_mode = sequential');
  await client.query('set local citus.enable_local_reference_table_foreign_keys = off');
  const { rows: tables } = await client.query<{ name: string; is_reference: boolean }>(UNDISTRIBUTED, [REFERENCE_TABLES]);
  const names = tables.map(({ name }) => name);
  // A table with foreign keys can be distributed only after those that it refers to.
  const { rows: keys } = await client.query<{ table_name: string; name: string; definition: string }>(FOREIGN_KEYS, [names]);
  for (const { table_name, name } of keys) await client.query(`alter table ${table_name} drop constraint ${name}`);
  for (const { name, is_reference } of tables) {
    if (is_reference) await client.query('select create_reference_table($1)', [name]);
    else await client.query(`select create_distributed_table($1, 'account_id')`, [name]);
  }
  for (const { table_name, name, definition } of keys)
    await client.query(`alter table ${table_name} add constraint ${name} ${definition}`);
  const { rows: grants } = await client.query<{ statement: string }>(SEQUENCE_GRANTS, [names]);
  for (const { statement } of grants) await client.query(statement);
  // Nodes connect to each other as the role of the statement, also within its functions.
  await client.query('alter role survey_definer login');
  // Writing to an invitation also locks its account; Citus lets only those do so who may write it.
  await client.query('grant update on admin.account to survey_definer, survey_imports');
  // No second role may write to the rows of an account in the transaction that has imported them.
  await client.query('alter function admin.end_invitations security invoker');
  await client.query('grant select, update, delete on admin.invitation to survey_imports');
  await client.query('grant insert on admin.audit to survey_imports');
  await client.query('commit');
}

// Without it, workers know no account: row-level security then hides every row.
async function requireSettingsPassedOn(client: Client): Promise<void> {
  const { rows } = await client.query<{ result: string }>(
    "select result from run_command_on_all_nodes('show citus.propagate_set_commands')",
  );
  if (rows.length === 0) throw new Error('cannot distribute the tables: the cluster has no nodes');
  if (rows.every(({ result }) => result === 'local')) return;
  throw new Error('cannot distribute the tables: set citus.propagate_set_commands to local on every node');
}
