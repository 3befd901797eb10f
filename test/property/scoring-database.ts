import type { RejectedFact } from '@survey/bus/facts/fact.ts';
import { retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { primaryReader } from '@survey/postgres/replica/reader.ts';
import { createMetrics } from '@survey/process/metrics.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { createAnswerCache, type AnswerCache } from '@survey/scoring-anonymity/answers/answer-cache.ts';
import { eraseEmployee } from '@survey/scoring-anonymity/facts/delete-answers.ts';
import { applyCycles } from '@survey/scoring-anonymity/facts/apply-survey-facts.ts';
import { applyQuestions } from '@survey/scoring-anonymity/facts/apply-survey-facts.ts';
import { applyResponses, DEFERRED_RESPONSES } from '@survey/scoring-anonymity/facts/apply-responses.ts';
import { applySurveys } from '@survey/scoring-anonymity/facts/apply-survey-facts.ts';
import { scoreReader, type ReadScore } from '@survey/scoring-anonymity/read-score.ts';
import { afterAll, inject } from 'vitest';
import { applying } from '../support/apply-facts.ts';
import { createDatabase } from '../support/postgres-server.ts';

/** The service's code on a database of its own, without NATS, gRPC or HTTP. */
interface ScoringDatabase {
  // Connection of the service, bound by row-level security.
  readonly pool: Pool;
  // Superuser connection.
  readonly db: Pool;
  readonly memory: AnswerCache;
  readonly readScore: ReadScore;
}

const MEMORY_BYTES = 50_000_000;

/** Call with `await` at the top of the file. */
export async function openScoringDatabase(): Promise<ScoringDatabase> {
  const server = inject('postgres');
  const database = await createDatabase(server);
  const context = toolOf('test');
  const own = new URL(database.url);
  own.username = 'survey_scoring';
  own.password = server.rolePasswords.survey_scoring;
  const pool = openDatabase({ url: own.href, name: 'scoring', maxConnections: 24, connectTimeoutMs: 30_000 }, context);
  const db = openDatabase(
    { url: database.url, name: 'test', maxConnections: 8 },
    { ...context, metrics: createMetrics('superuser') },
  );
  const memory = createAnswerCache(primaryReader(pool), MEMORY_BYTES, context);
  afterAll(async () => {
    await context.resources.disposeAsync();
    await database.drop();
  });
  return { pool, db, memory, readScore: scoreReader(pool, memory, context) };
}

export interface Newcomer {
  readonly id: number;
  readonly importId: string | null;
  readonly optionIds: readonly number[];
}

/** An account of its own, and the test actions on it. */
export interface ScoringAccount {
  readonly accountId: number;
  readonly database: ScoringDatabase;
  // Ingests facts of one kind, as one message. Returns those that cannot be applied.
  state(kind: keyof typeof APPLY, facts: readonly Fact[]): Promise<readonly RejectedFact[]>;
  // Adds employees (by the import API with an import_id). A single one also retries deferred facts.
  bring(employees: readonly Newcomer[]): Promise<void>;
  move(employeeId: number, optionIds: readonly number[]): Promise<void>;
  // Erases an employee as the service does once import-reconciler has. Twice does nothing.
  erase(employeeId: number, answers: 'anonymise' | 'delete'): Promise<void>;
}

const APPLY = {
  survey: applying('survey', applySurveys),
  question: applying('question', applyQuestions),
  cycle: applying('cycle', applyCycles),
  response: applying('response', applyResponses),
};

export async function createScoringAccount(database: ScoringDatabase): Promise<ScoringAccount> {
  const { pool, db } = database;
  const { rows } = await db.query<{ account_id: number }>(
    "insert into admin.account (name) values ('test') returning account_id",
  );
  const accountId = rows[0]?.account_id ?? 0;
  return {
    accountId,
    database,
    state: (kind, facts) => APPLY[kind](pool, accountId, facts),
    bring: async (employees) => {
      await db.query(
        `insert into imports.employee (account_id, id, position, created_via, import_id, email, email_key, option_ids)
         select $1::bigint, id, id, case when import_id is null then 'app' else 'import_api' end, import_id, id, id, options::integer[]
         from unnest($2::integer[], $3::text[], $4::text[]) e (id, import_id, options)`,
        [
          accountId,
          employees.map(({ id }) => id),
          employees.map(({ importId }) => importId),
          employees.map(({ optionIds }) => `{${optionIds.join()}}`),
        ],
      );
      if (employees.length === 1) await retryDeferredFacts(pool, DEFERRED_RESPONSES, applyResponses)(accountId);
    },
    move: async (id, optionIds) => {
      await db.query('update imports.employee set option_ids = $3 where account_id = $1 and id = $2', [accountId, id, optionIds]);
    },
    erase: async (employeeId, answers) => {
      const { rowCount } = await db.query(
        `insert into imports.erased_employee (account_id, employee_id, answers, erased_at) values ($1, $2, $3, now())
         on conflict do nothing`,
        [accountId, employeeId, answers],
      );
      if (rowCount === 1) await eraseEmployee(pool)({ accountId, employeeId, importId: null, answers });
    },
  };
}
