import { afterAll, afterEach, expect, inject } from 'vitest';
import { TimedClient } from '@survey/postgres/timed-client.ts';
import { Pool } from 'pg';
import { z } from 'zod';
import { operatorAt, type Account, type ImportOutcome, type Operator } from './accounts.ts';
import { apiAt, whenServed, type Api } from './api.ts';
import { conforming } from './conformance.ts';
import { noteEvidence, type PostgresServer } from './postgres-server.ts';
import { startStack, type MoreSettings, type OpenPooler, type Stack } from './stack.ts';

/** The stack of one test file with its clients. */
export interface FileStack {
  readonly stack: Stack;
  readonly api: Api;
  readonly operator: Operator;
  // Superuser connection, for setup that no endpoint supports.
  readonly db: Pool;
  // Posts a snapshot, expects it to be accepted, and waits for the end of the import.
  readonly importAndWait: (account: Account, employees: readonly unknown[]) => Promise<ImportOutcome>;
  readonly listEmployees: (account: Account, query?: string) => Promise<EmployeesPage>;
}

// Strict: unknown fields fail as missing ones do (docs/rules/resources.md).
const employee = z.strictObject({
  id: z.int().positive(),
  import_id: z.string().nullable(),
  email: z.string(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  role: z.string().nullable(),
  is_deleted: z.boolean(),
  attributes: z.array(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      attribute_values: z.array(z.strictObject({ id: z.int(), name: z.string() })).min(1),
    }),
  ),
});
const employeesPage = z.strictObject({ total_count: z.int().nonnegative(), employees: z.array(employee) });
const accepted = z.strictObject({ import_uuid: z.string().min(1) });

export type Employee = z.infer<typeof employee>;
type EmployeesPage = z.infer<typeof employeesPage>;

/**
 * Starts the stack of this test file and stops it after the last test. Call with `await` at the
 * top.
 */
export async function startFileStack(
  more: MoreSettings = {},
  openPooler?: OpenPooler,
  server = inject('postgres'),
): Promise<FileStack> {
  const stack = await startStack(server, more, openPooler);
  const clients = clientsOf(stack);
  const failed = noteFailures(stack, server);
  afterAll(async () => {
    clients.operator[Symbol.dispose]();
    await clients.db.end();
    await stack.stop({ keepDatabase: failed.size > 0 });
  });
  return clients;
}

// Vitest runs many files in one process, and they share its modules.
let shared: Promise<FileStack> | undefined;

/**
 * Returns a stack that the test files of this process share, because starting one takes longer than
 * most tests. For files that only use accounts of their own and stop nothing. It ends with the
 * process.
 */
export async function shareStack(): Promise<FileStack> {
  const server = inject('postgres');
  shared ??= startStack(server).then(clientsOf);
  const clients = await shared;
  noteFailures(clients.stack, server);
  return clients;
}

function noteFailures(stack: Stack, { folder }: PostgresServer): ReadonlySet<string> {
  const failed = new Set<string>();
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') failed.add(task.file.name);
  });
  afterAll(async () => {
    for (const file of failed) await noteEvidence(folder, `${file}: database ${stack.databaseName} in ${folder}/postgres`);
  });
  return failed;
}

function clientsOf(stack: Stack): FileStack {
  const operator = operatorAt(stack.services['account-admin'].address);
  const db = new Pool({ Client: TimedClient, connectionString: stack.databaseUrl, max: 8, connectionTimeoutMillis: 5_000 });
  const api = conforming(apiAt(`http://${stack.services.gateway.address}`));
  return {
    stack,
    api,
    operator,
    db,
    importAndWait: async ({ accountId, writeKey }, employees) => {
      const answer = await whenServed(() => api.post('/v1/employees/imports', { employees }, writeKey));
      expect(answer).toMatchObject({ status: 202 });
      return operator.importEnded(accountId, accepted.parse(answer.body).import_uuid);
    },
    listEmployees: async ({ readKey }, query = '?limit=1000') => {
      const answer = await whenServed(() => api.get(`/v1/employees${query}`, readKey));
      expect(answer).toMatchObject({ status: 200 });
      return employeesPage.parse(answer.body);
    },
  };
}
