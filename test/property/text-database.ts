import type { RejectedFact } from '@survey/bus/facts/fact.ts';
import { retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import { inAccount, type Pool } from '@survey/postgres/database.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { createLog } from '@survey/process/log.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { TextJob } from '@survey/proto/events/v1/events.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import type { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import type { ListTextResponsesRequest, TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { applySurveys } from '@survey/scoring-anonymity/facts/apply-survey-facts.ts';
import { decideTextRelease, formTextBlocks, releaseTextBlocks } from '@survey/scoring-anonymity/decide-text-release.ts';
import { createAnswerCache, type AnswerCache } from '@survey/text-analysis/answers/answer-cache.ts';
import { applyQuestions } from '@survey/text-analysis/facts/apply-questions.ts';
import { eraseEmployee } from '@survey/text-analysis/erasure/erase-texts.ts';
import { makeTextBlocks } from '@survey/text-analysis/release/make-blocks.ts';
import { applyResponses, DEFERRED_RESPONSES } from '@survey/text-analysis/facts/apply-responses.ts';
import { applyTopicAssignments, applyTopics } from '@survey/text-analysis/facts/apply-topics.ts';
import { dispatchDue } from '../../services/text-analysis/src/stages/start-stages.ts';
import { backfillStages } from '@survey/text-analysis/stages/backfill.ts';
import { processBatch } from '@survey/text-analysis/stages/process-batch.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskStage } from '@survey/text-analysis/masking/mask-stage.ts';
import { listTextResponses } from '@survey/text-analysis/release/list-text-responses.ts';
import { loadRoster } from '@survey/text-analysis/masking/roster.ts';
import { afterAll, inject } from 'vitest';
import { applying } from '../support/apply-facts.ts';
import { createDatabase } from '../support/postgres-server.ts';
import type { Newcomer } from './scoring-database.ts';

/**
 * The code of text-analysis and scoring-anonymity on its own database, without NATS, gRPC or
 * HTTP.
 */
export interface TextDatabase {
  readonly text: Pool;
  readonly scoring: Pool;
  // Superuser connection.
  readonly db: Pool;
  readonly answerCache: AnswerCache;
  readonly decisions: Upstream<ScoringServiceDefinition>;
  readonly list: Handlers<TextServiceDefinition>['listTextResponses'];
}

const MEMORY_BYTES = 50_000_000;
const log = createLog('test', 'silent');

/** Call with `await` at the top of the file. */
export async function openTextDatabase(): Promise<TextDatabase> {
  const server = inject('postgres');
  const database = await createDatabase(server);
  const resources = new AsyncDisposableStack();
  const open = (role?: 'survey_text' | 'survey_scoring'): Pool => {
    const url = new URL(database.url);
    if (role !== undefined) [url.username, url.password] = [role, server.rolePasswords[role]];
    return openDatabase(
      { url: url.href, name: 'test', maxConnections: 16, connectTimeoutMs: 30_000 },
      { ...toolOf('test'), resources },
    );
  };
  const [text, scoring, db] = [open('survey_text'), open('survey_scoring'), open()];
  afterAll(async () => {
    await resources.disposeAsync();
    await database.drop();
  });
  const answerCache = createAnswerCache(text, MEMORY_BYTES, { ...toolOf('test'), resources });
  const decisions = inProcess(scoring);
  const list = listTextResponses({ pool: text, answerCache, scoring: decisions, log });
  return { text, scoring, db, answerCache, decisions, list };
}

// Calls the handlers directly.
function inProcess(scoring: Pool): Upstream<ScoringServiceDefinition> {
  const decide = decideTextRelease(scoring, () => undefined);
  const form = formTextBlocks(scoring);
  const release = releaseTextBlocks(scoring, () => undefined);
  return {
    getScore: () => Promise.reject(new Error('expected no call of getScore')),
    decideTextRelease: (request, { caller }) => decide(request, contextOf(caller.accountId ?? 0)),
    formTextBlocks: (request, { caller }) => form(request, contextOf(caller.accountId ?? 0)),
    releaseTextBlocks: (request, { caller }) => release(request, contextOf(caller.accountId ?? 0)),
    [Symbol.dispose]: () => {},
  };
}

export function contextOf(accountId: number): CallContext {
  const deadline = new Date(Date.now() + 60_000);
  return { requestId: 'test', accountId, deadline, signal: new AbortController().signal, log };
}

export interface StoredSettings {
  readonly effect: 'off' | 'on' | 'without_effect' | 'withheld';
  readonly categories: readonly string[];
  readonly filterAttribute: number | null;
  readonly guard?: 'off' | 'strict';
}

/** An account of its own, and the test actions on it. */
export interface TextAccount {
  readonly accountId: number;
  state(kind: TextKind, facts: readonly Fact[]): Promise<readonly RejectedFact[]>;
  // Adds employees and retries deferred facts.
  bring(employees: readonly Newcomer[]): Promise<void>;
  move(employeeId: number, optionIds: readonly number[]): Promise<void>;
  // Erases an employee. Twice does nothing.
  erase(employeeId: number, answers: 'anonymise' | 'delete'): Promise<void>;
  decide(settings: StoredSettings): Promise<void>;
  // Settles these cycles, as scoring-anonymity does with these thresholds, and makes the blocks.
  settle(cycleIds: readonly string[], thresholds: string): Promise<void>;
  // Enqueues and dispatches jobs, and processes this number of them, the first one twice.
  mask(jobs: number): Promise<void>;
  ask(request: Omit<ListTextResponsesRequest, 'accept_gzip'>): Promise<unknown>;
  // All answers that ever existed: `<response id> <question id>`.
  places(): Promise<Map<string, bigint>>;
  // The masking policy of each masked answer.
  masks(): Promise<Map<string, string>>;
}

const APPLY = {
  question: applying('question', applyQuestions),
  response: applying('response', applyResponses),
  topic: applying('topic', applyTopics),
  topic_assignment: applying('topic_assignment', applyTopicAssignments),
};
const applySurvey = applying('survey', applySurveys);

export type TextKind = keyof typeof APPLY | 'survey';

export async function createTextAccount({ text, scoring, db, decisions, list }: TextDatabase): Promise<TextAccount> {
  const { rows } = await db.query<{ account_id: number }>(
    "insert into admin.account (name) values ('test') returning account_id",
  );
  const accountId = rows[0]?.account_id ?? 0;
  await db.query(`insert into imports.attribute (account_id, id, name, name_key) values ($1, 1, 'A', 'a'), ($1, 2, 'B', 'b')`, [
    accountId,
  ]);
  await db.query(
    `insert into imports.attribute_option (account_id, id, attribute_id, name) values ($1, 1, 1, 'x'), ($1, 2, 1, 'y'), ($1, 3, 2, 'z')`,
    [accountId],
  );
  const work = maskStage(embeddedMasker, (id) => inAccount(text, id, (tx) => loadRoster(tx, id)));
  let version = 0;
  return {
    accountId,
    state: (kind, facts) => (kind === 'survey' ? applySurvey(scoring, accountId, facts) : APPLY[kind](text, accountId, facts)),
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
      await retryDeferredFacts(text, DEFERRED_RESPONSES, applyResponses)(accountId);
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
      if (rowCount === 1) await eraseEmployee(text)({ accountId, employeeId, importId: null, answers });
    },
    decide: async ({ effect, categories, filterAttribute, guard = 'off' }) => {
      await db.query(
        `insert into admin.settings (account_id, version, masking_effect, masking_categories, text_filter_attribute_id, disclosure_guard)
         values ($1, $2, $3, $4, $5, $6)`,
        [accountId, (version += 1), effect, categories, filterAttribute, guard],
      );
    },
    settle: async (cycleIds, thresholds) => {
      await db.query(
        `insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us, judged_thresholds)
         select $1::bigint, id, 1, 0, 1, $3::text from unnest($2::uuid[]) id
         on conflict (account_id, id) do update set judged_thresholds = excluded.judged_thresholds`,
        [accountId, cycleIds, thresholds],
      );
      while ((await makeTextBlocks(accountId, { pool: text, scoring: decisions })) === 0);
    },
    mask: async (jobs) => {
      while (await backfillStages(text, [work], accountId));
      await dispatchDue(text, ['mask'], accountId);
      const taken = await db.query<{ payload: Buffer }>(
        "select payload from text.outbox where account_id = $1 and subject = 'jobs.mask' order by id desc limit $2",
        [accountId, jobs],
      );
      const [first, ...others] = taken.rows.map(({ payload }) => TextJob.decode(payload));
      if (first === undefined) return;
      for (const job of [first, ...others, first]) await processBatch(text, work, job, log);
    },
    ask: async (request) => {
      const { json } = await list({ ...request, accept_gzip: false }, contextOf(accountId));
      return JSON.parse(Buffer.from(json).toString());
    },
    places: async () =>
      keyed(await db.query(`${KEYED} a.sort_key::text as value from text.answer a where a.account_id = $1`, [accountId]), BigInt),
    masks: async () =>
      keyed(
        await db.query(
          `${KEYED} m.policy::text as value from text.answer a
           join text.masked_text m on m.account_id = a.account_id and m.answer = a.id where a.account_id = $1`,
          [accountId],
        ),
        String,
      ),
  };
}

const KEYED = "select a.response_id || ' ' || a.question_id as key,";

function keyed<T>({ rows }: { rows: { key: string; value: string }[] }, read: (value: string) => T): Map<string, T> {
  return new Map(rows.map(({ key, value }) => [key, read(value)]));
}
