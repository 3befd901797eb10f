// Baseline of POST /v1/employees/imports: Express parses the whole body, and COPY and statements
// over all employees write it in one transaction. Argument: the database URL. Sends its port to its
// parent.
import type { AddressInfo } from 'node:net';
import { BinaryCopy } from '@survey/postgres/copy-in.ts';
import express from 'express';
import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';

const body = z.strictObject({
  employees: z.array(
    z.object({
      import_id: z.string().min(1),
      email: z.string(),
      firstname: z.string(),
      lastname: z.string(),
      role: z.string().nullish(),
      reports_to_id: z.string().nullish(),
      attributes: z.array(z.object({ name: z.string(), value: z.object({ name: z.string() }).nullable() })).default([]),
    }),
  ),
});

const [connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10 });
const app = express();
app.use(express.json({ limit: '4gb', inflate: true }));

// The usual statements of an import that works with sets: a table of the new state, and one
// statement for each table that it changes, which leaves rows alone that stay as they are.
const STATE = `
create temporary table stated (
  import_id text, email text, firstname text, lastname text, role text, reports_to_id text
) on commit drop;
create temporary table stated_value (import_id text, attribute text, value text) on commit drop`;
const STEPS = [
  `delete from stated s using baseline.employee e
   where e.account_id = $1 and lower(e.email) = lower(s.email) and e.import_id <> s.import_id`,
  `insert into baseline.attribute (account_id, name) select distinct $1::bigint, attribute from stated_value
   on conflict do nothing`,
  `insert into baseline.attribute_value (attribute_id, name)
   select distinct a.id, v.value from stated_value v join baseline.attribute a on a.account_id = $1 and a.name = v.attribute
   on conflict do nothing`,
  `insert into baseline.employee as e (account_id, import_id, email, firstname, lastname, role)
   select $1::bigint, import_id, email, firstname, lastname, role from stated
   on conflict (account_id, import_id) do update
   set email = excluded.email, firstname = excluded.firstname, lastname = excluded.lastname, role = excluded.role, is_deleted = false
   where (e.email, e.firstname, e.lastname, e.role, e.is_deleted)
     is distinct from (excluded.email, excluded.firstname, excluded.lastname, excluded.role, false)`,
  `insert into baseline.employee_attribute as h (employee_id, attribute_id, attribute_value_id)
   select e.id, a.id, o.id from stated_value v
   join baseline.employee e on e.account_id = $1 and e.import_id = v.import_id
   join baseline.attribute a on a.account_id = $1 and a.name = v.attribute
   join baseline.attribute_value o on o.attribute_id = a.id and o.name = v.value
   on conflict (employee_id, attribute_id) do update set attribute_value_id = excluded.attribute_value_id
   where h.attribute_value_id <> excluded.attribute_value_id`,
  `update baseline.employee e set supervisor_id = b.id
   from stated s left join baseline.employee b on b.account_id = $1 and b.import_id = s.reports_to_id
   where e.account_id = $1 and e.import_id = s.import_id and e.supervisor_id is distinct from b.id`,
  `update baseline.employee e set is_deleted = true
   where e.account_id = $1 and not e.is_deleted and not exists (select from stated s where s.import_id = e.import_id)`,
];

app.post('/accounts/:account/imports', async (request, response) => {
  const accountId = Number(request.params.account);
  const { employees } = body.parse(request.body);
  const tx = await pool.connect();
  try {
    await tx.query('begin');
    await tx.query('insert into baseline.account values ($1) on conflict do nothing', [accountId]);
    await tx.query(STATE);
    await copy(
      tx,
      'stated',
      employees.map((one) => [
        one.import_id,
        one.email,
        one.firstname,
        one.lastname,
        one.role ?? null,
        one.reports_to_id ?? null,
      ]),
    );
    const values = employees.flatMap(({ import_id, attributes }) =>
      attributes.flatMap(({ name, value }) => (value === null ? [] : [[import_id, name, value.name]])),
    );
    await copy(tx, 'stated_value', values);
    await tx.query('analyze stated, stated_value');
    for (const step of STEPS) await tx.query(step, [accountId]);
    await tx.query('commit');
    response.status(202).json({ imported: employees.length });
  } finally {
    tx.release();
  }
});

async function copy(tx: PoolClient, table: string, rows: readonly (readonly (string | null)[])[]): Promise<void> {
  const rowsIn = new BinaryCopy(tx, `copy ${table} from stdin (format binary)`);
  for (const row of rows) {
    rowsIn.row(row.length);
    for (const value of row) rowsIn.text(value);
    await rowsIn.flush();
  }
  await rowsIn.end();
}

const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
