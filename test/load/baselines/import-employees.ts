// Baseline of POST /v1/employees/imports: Express parses the whole body and writes one employee
// after the other in one transaction. Argument: the database URL. Sends its port to its parent.
import type { AddressInfo } from 'node:net';
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

type Employee = z.infer<typeof body>['employees'][number];

const [connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString, max: 10 });
const app = express();
app.use(express.json({ limit: '4gb', inflate: true }));

async function idOf(tx: PoolClient, select: string, insert: string, parameters: readonly unknown[]): Promise<number> {
  const found = await tx.query<{ id: number }>(select, [...parameters]);
  const row = found.rows[0] ?? (await tx.query<{ id: number }>(insert, [...parameters])).rows[0];
  return row?.id ?? 0;
}

async function save(tx: PoolClient, accountId: number, employee: Employee): Promise<void> {
  const { import_id, email, firstname, lastname, role = null } = employee;
  const taken = await tx.query(
    'select from baseline.employee where account_id = $1 and lower(email) = lower($2) and import_id <> $3',
    [accountId, email, import_id],
  );
  if (taken.rowCount !== 0) return;
  const { rows } = await tx.query<{ id: number }>(
    `insert into baseline.employee (account_id, import_id, email, firstname, lastname, role) values ($1, $2, $3, $4, $5, $6)
     on conflict (account_id, import_id) do update
     set email = excluded.email, firstname = excluded.firstname, lastname = excluded.lastname, role = excluded.role, is_deleted = false
     returning id`,
    [accountId, import_id, email, firstname, lastname, role],
  );
  for (const { name, value } of employee.attributes) {
    if (value === null) continue;
    const attributeId = await idOf(
      tx,
      'select id from baseline.attribute where account_id = $1 and name = $2',
      'insert into baseline.attribute (account_id, name) values ($1, $2) returning id',
      [accountId, name],
    );
    const valueId = await idOf(
      tx,
      'select id from baseline.attribute_value where attribute_id = $1 and name = $2',
      'insert into baseline.attribute_value (attribute_id, name) values ($1, $2) returning id',
      [attributeId, value.name],
    );
    await tx.query(
      `insert into baseline.employee_attribute (employee_id, attribute_id, attribute_value_id) values ($1, $2, $3)
       on conflict (employee_id, attribute_id) do update set attribute_value_id = excluded.attribute_value_id`,
      [rows[0]?.id, attributeId, valueId],
    );
  }
}

app.post('/accounts/:account/imports', async (request, response) => {
  const accountId = Number(request.params.account);
  const { employees } = body.parse(request.body);
  const tx = await pool.connect();
  try {
    await tx.query('begin');
    await tx.query('insert into baseline.account values ($1) on conflict do nothing', [accountId]);
    for (const employee of employees) await save(tx, accountId, employee);
    for (const { import_id, reports_to_id } of employees) {
      await tx.query(
        `update baseline.employee set supervisor_id = (select id from baseline.employee where account_id = $1 and import_id = $3)
         where account_id = $1 and import_id = $2`,
        [accountId, import_id, reports_to_id ?? null],
      );
    }
    const ids = employees.map(({ import_id }) => import_id);
    await tx.query('update baseline.employee set is_deleted = true where account_id = $1 and not import_id = any($2)', [
      accountId,
      ids,
    ]);
    await tx.query('commit');
    response.status(202).json({ imported: employees.length });
  } finally {
    tx.release();
  }
});

const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
