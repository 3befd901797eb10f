// Baseline of GET /v1/employees: Fastify and kysely with OFFSET. Argument: the database URL. Sends
// its port to its parent.
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';

interface Tables {
  'baseline.api_key': { hash: Buffer; account_id: number };
  'baseline.employee': {
    id: number;
    account_id: number;
    import_id: string | null;
    email: string;
    firstname: string | null;
    lastname: string | null;
    role: string | null;
    is_deleted: boolean;
  };
  'baseline.attribute': { id: number; name: string };
  'baseline.attribute_value': { id: number; name: string };
  'baseline.employee_attribute': { employee_id: number; attribute_id: number; attribute_value_id: number };
}

const [connectionString] = process.argv.slice(2);
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString, max: 10 }) }) });
const app = fastify();

async function accountOf(key: unknown): Promise<number | undefined> {
  const hash = createHash('sha256').update(String(key)).digest();
  const row = await db.selectFrom('baseline.api_key').select('account_id').where('hash', '=', hash).executeTakeFirst();
  return row?.account_id;
}

async function page(accountId: number, limit: number, offset: number): Promise<object> {
  const own = db.selectFrom('baseline.employee').where('account_id', '=', accountId);
  const total = await own.select((eb) => eb.fn.countAll<string>().as('count')).executeTakeFirstOrThrow();
  const employees = await own
    .select(['id', 'import_id', 'email', 'firstname', 'lastname', 'role', 'is_deleted'])
    .orderBy('id')
    .limit(limit)
    .offset(offset)
    .execute();
  const values = await db
    .selectFrom('baseline.employee_attribute as ea')
    .innerJoin('baseline.attribute as a', 'a.id', 'ea.attribute_id')
    .innerJoin('baseline.attribute_value as v', 'v.id', 'ea.attribute_value_id')
    .select(['ea.employee_id', 'a.id as attribute_id', 'a.name as attribute', 'v.id as value_id', 'v.name as value'])
    .where(
      'ea.employee_id',
      'in',
      employees.map(({ id }) => id),
    )
    .execute();
  const valuesOf = Map.groupBy(values, ({ employee_id }) => employee_id);
  return {
    total_count: Number(total.count),
    employees: employees.map((employee) => ({
      ...employee,
      attributes: (valuesOf.get(employee.id) ?? []).map(({ attribute_id, attribute, value_id, value }) => ({
        id: attribute_id,
        name: attribute,
        attribute_values: [{ id: value_id, name: value }],
      })),
    })),
  };
}

app.get<{ Querystring: { limit: number; offset: number } }>(
  '/v1/employees',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: { limit: { type: 'integer', maximum: 1_000 }, offset: { type: 'integer', minimum: 0 } },
        required: ['limit', 'offset'],
      },
    },
  },
  async (request, reply) => {
    const accountId = await accountOf(request.headers['x-api-key']);
    if (accountId === undefined) return reply.code(401).send({ title: 'Unauthorized' });
    return page(accountId, request.query.limit, request.query.offset);
  },
);

await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
