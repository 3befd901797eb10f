import { accountDeletionWork, onAccountClosed } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import { type BusConnection, openBus } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { openReplicaReader } from '@survey/postgres/replica/reader.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service, type ServiceContext } from '@survey/process/service.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { serve } from '@survey/rpc/serve.ts';
import { createAnswerCache } from './answers/answer-cache.ts';
import type { Settings } from './config.ts';
import { applyQuestions, applyCycles, applySurveys } from './facts/apply-survey-facts.ts';
import { applyResponses, DEFERRED_RESPONSES } from './facts/apply-responses.ts';
import { eraseEmployee, answerRetention } from './facts/delete-answers.ts';
import { blockWork } from './make-blocks.ts';
import { decideTextRelease, formTextBlocks, releaseTextBlocks, createDecisionCounter } from './decide-text-release.ts';
import { getScore } from './get-score.ts';
import { scoreReader } from './read-score.ts';

const MEGABYTE = 1_000_000;
// Two loads, plus the replica lag check.
const REPLICA_CONNECTIONS = 3;

// Recovery only: events wake the worker.
const POLL_MS = 5_000;

/**
 * Starts the only owner of the anonymity rules: computes scores and decides which texts are
 * released.
 */
export function startScoringAnonymity(settings: Settings): Promise<Service> {
  return startService('scoring-anonymity', settings, async (context) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'scoring-anonymity', maxConnections: 20 }, context);
    await waitForCompatibleSchema(pool, context);
    const bus = openBus(settings.NATS_URL, 'scoring-anonymity', context);
    startIntake(pool, bus, settings.ANSWER_RETENTION_DAYS, context);
    // Decisions read the primary. Only loads may use a stale replica: each score syncs the cache
    // with the primary's snapshot.
    const { DATABASE_REPLICA_URL: url, DATABASE_REPLICA_MAX_LAG_SECONDS: maxLagSeconds } = settings;
    const replica = { url, name: 'scoring-anonymity', maxConnections: REPLICA_CONNECTIONS, maxLagSeconds };
    const answerCache = createAnswerCache(
      openReplicaReader(pool, replica, context),
      settings.ANSWER_CACHE_MB * MEGABYTE,
      context,
    );
    onAccountClosed(bus, context, (accountId) => answerCache.drop(accountId));
    const handlers = {
      getScore: getScore(scoreReader(pool, answerCache, context), createDecisionCounter('score', context)),
      decideTextRelease: decideTextRelease(pool, createDecisionCounter('text_cycle', context)),
      formTextBlocks: formTextBlocks(pool),
      releaseTextBlocks: releaseTextBlocks(pool, createDecisionCounter('text_block', context)),
    };
    const address = await serve(settings.GRPC_LISTEN, ScoringServiceDefinition, handlers, context);
    return { address, ready: () => isReachable(pool) };
  });
}

/** Consumes the facts about surveys, questions, cycles and responses. */
function startIntake(pool: Pool, bus: BusConnection, retainAnswersDays: number, context: ServiceContext): void {
  const intake = { schema: 'scoring', pool } as const;
  consumeFacts(bus, { ...intake, consumer: 'scoring-anonymity-survey', kind: 'survey', apply: applySurveys }, context);
  consumeFacts(bus, { ...intake, consumer: 'scoring-anonymity-question', kind: 'question', apply: applyQuestions }, context);
  consumeFacts(bus, { ...intake, consumer: 'scoring-anonymity-cycle', kind: 'cycle', apply: applyCycles }, context);
  consumeFacts(bus, { ...intake, consumer: 'scoring-anonymity-response', kind: 'response', apply: applyResponses }, context);
  const retries = deferredFactWork(
    pool,
    'scoring',
    retryDeferredFacts(pool, DEFERRED_RESPONSES, applyResponses, retainAnswersDays),
  );
  const works = [
    retries,
    blockWork(pool),
    accountDeletionWork(pool, 'scoring'),
    employeeErasureWork(pool, 'scoring', eraseEmployee(pool)),
    answerRetention(pool, retainAnswersDays, context.metrics),
  ];
  startAccountWork({ pool, schema: 'scoring', bus, pollMs: POLL_MS }, works, context);
}
