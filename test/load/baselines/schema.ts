import type { Pool } from '@survey/postgres/database.ts';

/** The tables that a good team would begin with: normalised, a row for each value of each employee. */
const CREATE = `
drop schema if exists peer cascade;
create schema peer;
create table peer.account (id bigint primary key);
create table peer.api_key (hash bytea primary key, account_id bigint not null references peer.account);
create table peer.employee (
  id bigserial primary key,
  account_id bigint not null references peer.account,
  import_id text,
  email text not null,
  firstname text,
  lastname text,
  role text,
  supervisor_id bigint references peer.employee,
  is_deleted boolean not null default false,
  unique (account_id, import_id)
);
create index on peer.employee (account_id, lower(email));
create table peer.attribute (id serial primary key, account_id bigint not null references peer.account, name text not null, unique (account_id, name));
create table peer.attribute_value (id serial primary key, attribute_id integer not null references peer.attribute, name text not null, unique (attribute_id, name));
create table peer.employee_attribute (
  employee_id bigint not null references peer.employee,
  attribute_id integer not null references peer.attribute,
  attribute_value_id integer not null references peer.attribute_value,
  primary key (employee_id, attribute_id)
)`;

// What ours holds, the other way.
const FILL = [
  'insert into peer.account values ($1)',
  `insert into peer.employee (id, account_id, import_id, email, firstname, lastname, role, is_deleted)
   select id, account_id, import_id, email, firstname, lastname, role, is_deleted from imports.employee where account_id = $1`,
  'insert into peer.attribute (id, account_id, name) select id, account_id, name from imports.attribute where account_id = $1',
  `insert into peer.attribute_value (id, attribute_id, name)
   select id, attribute_id, name from imports.attribute_option where account_id = $1`,
  `insert into peer.employee_attribute (employee_id, attribute_id, attribute_value_id)
   select e.id, v.attribute_id, v.id from imports.employee e cross join unnest(e.option_ids) o (id) join peer.attribute_value v on v.id = o.id
   where e.account_id = $1`,
];

export async function createPeerTables(pool: Pool): Promise<void> {
  await pool.query(CREATE);
}

const NEXT_IDS = `
select setval('peer.attribute_id_seq', (select max(id) from peer.attribute)), setval('peer.attribute_value_id_seq', (select max(id) from peer.attribute_value))`;

/** Copies an account of ours into the peer's tables. */
export async function fillPeerTables(pool: Pool, accountId: number): Promise<void> {
  for (const statement of FILL) await pool.query(statement, [accountId]);
  await pool.query(NEXT_IDS);
  await pool.query('vacuum analyze peer.employee, peer.employee_attribute, peer.attribute, peer.attribute_value');
}
