import type { Pool } from '@survey/postgres/database.ts';

/** Straightforward normalised tables, with a row per value of an employee. */
const CREATE = `
drop schema if exists baseline cascade;
create schema baseline;
create table baseline.account (id bigint primary key);
create table baseline.api_key (hash bytea primary key, account_id bigint not null references baseline.account);
create table baseline.employee (
  id bigserial primary key,
  account_id bigint not null references baseline.account,
  import_id text,
  email text not null,
  firstname text,
  lastname text,
  role text,
  supervisor_id bigint references baseline.employee,
  is_deleted boolean not null default false,
  unique (account_id, import_id)
);
create index on baseline.employee (account_id, lower(email));
create table baseline.attribute (id serial primary key, account_id bigint not null references baseline.account, name text not null, unique (account_id, name));
create table baseline.attribute_value (id serial primary key, attribute_id integer not null references baseline.attribute, name text not null, unique (attribute_id, name));
create table baseline.employee_attribute (
  employee_id bigint not null references baseline.employee,
  attribute_id integer not null references baseline.attribute,
  attribute_value_id integer not null references baseline.attribute_value,
  primary key (employee_id, attribute_id)
)`;

// Copies the tables of the product into the tables of the baseline.
const FILL = [
  'insert into baseline.account values ($1)',
  `insert into baseline.employee (id, account_id, import_id, email, firstname, lastname, role, is_deleted)
   select id, account_id, import_id, email, firstname, lastname, role, is_deleted from imports.employee where account_id = $1`,
  'insert into baseline.attribute (id, account_id, name) select id, account_id, name from imports.attribute where account_id = $1',
  `insert into baseline.attribute_value (id, attribute_id, name)
   select id, attribute_id, name from imports.attribute_option where account_id = $1`,
  `insert into baseline.employee_attribute (employee_id, attribute_id, attribute_value_id)
   select e.id, v.attribute_id, v.id from imports.employee e cross join unnest(e.option_ids) o (id) join baseline.attribute_value v on v.id = o.id
   where e.account_id = $1`,
];

export async function createBaselineTables(pool: Pool): Promise<void> {
  await pool.query(CREATE);
}

const NEXT_IDS = `
select setval('baseline.attribute_id_seq', (select max(id) from baseline.attribute)), setval('baseline.attribute_value_id_seq', (select max(id) from baseline.attribute_value))`;

/** Copies an account of the product into the tables of the baseline. */
export async function fillBaselineTables(pool: Pool, accountId: number): Promise<void> {
  for (const statement of FILL) await pool.query(statement, [accountId]);
  await pool.query(NEXT_IDS);
  await pool.query('vacuum analyze baseline.employee, baseline.employee_attribute, baseline.attribute, baseline.attribute_value');
}
