import { accountDeletionWork, onAccountClosed } from '@survey/bus/account-deletion.ts';
import { startAccountWork } from '@survey/bus/account-work.ts';
import { openBus, type BusConnection } from '@survey/bus/connection.ts';
import { employeeErasureWork } from '@survey/bus/employee-erasure.ts';
import { startOutboxRelay } from '@survey/bus/outbox.ts';
import { deferredFactWork, retryDeferredFacts } from '@survey/bus/facts/retry-deferred.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service, type ServiceContext } from '@survey/process/service.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { serve, defineService } from '@survey/rpc/serve.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import { createAnswerCache } from './answers/answer-cache.ts';
import type { Settings } from './config.ts';
import { eraseEmployee } from './erasure/erase-texts.ts';
import { textRetention } from './erasure/expire-texts.ts';
import { textBlockWork } from './release/make-blocks.ts';
import { applyResponses, DEFERRED_RESPONSES } from './facts/apply-responses.ts';
import { leaveStages, stageWork, startStages } from './stages/start-stages.ts';
import { trainingWork } from './topics/learning/train-topic-models.ts';
import { maskStage } from './masking/mask-stage.ts';
import { openMasker } from './masking/open-masker.ts';
import { createRosterCache } from './masking/roster.ts';
import { listTextResponses } from './release/list-text-responses.ts';
import { topicHandlers } from './topics/topic-handlers.ts';
import { createEmbeddedScorer } from './sentiment/embedded-scorer.ts';
import { loadSentimentModels } from './sentiment/sentiment-models.ts';
import { sentimentStage } from './sentiment/sentiment-stage.ts';
import { accountCategorisers } from './topics/account-categorisers.ts';
import { categoriseStage } from './topics/categorise-stage.ts';
import { createEmbeddedCategoriser } from './topics/embedded-categoriser.ts';
import { cacheTopicViews } from './topics/topic-views.ts';
import { consumeFacts } from '@survey/bus/facts/consume-facts.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { applyQuestions } from './facts/apply-questions.ts';
import { applyTopicAssignments, applyTopics } from './facts/apply-topics.ts';

const MEGABYTE = 1_000_000;
// The intake uses at most 8 connections, two per kind of fact; deferred facts and jobs use a few.
const CONNECTIONS = 24;
// Poll interval of account work; new answers wait at most this long.
const WORK_POLL_MS = 1_000;

/**
 * Starts the service that stores, masks and categorises texts, and returns those that
 * scoring-anonymity releases.
 */
export function startTextAnalysis(settings: Settings): Promise<Service> {
  return startService('text-analysis', settings, async (context) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'text-analysis', maxConnections: CONNECTIONS }, context);
    await waitForCompatibleSchema(pool, context);
    const bus = openBus(settings.NATS_URL, 'text-analysis', context);
    const relay = startOutboxRelay(pool, 'text', bus, context);
    startIntake(pool, bus, context);
    const findTopicViews = cacheTopicViews();
    const findRoster = createRosterCache(pool, bus, context);
    const masker = await openMasker(settings, context);
    const scoringAt = settings.SCORING_ANONYMITY_ADDRESS;
    const scoring = context.resources.use(connectUpstream(ScoringServiceDefinition, scoringAt, context, { byAccount: true }));
    const works = [
      maskStage(masker, findRoster),
      categoriseStage(accountCategorisers(createEmbeddedCategoriser()), findTopicViews),
      sentimentStage(createEmbeddedScorer(await loadSentimentModels()), findTopicViews),
    ];
    const training = { pool, findTopicViews, afterDecisions: settings.TOPIC_MODEL_TRAIN_AFTER_DECISIONS };
    const { ANSWER_RETENTION_DAYS: keptDays } = settings;
    const retries = deferredFactWork(pool, 'text', retryDeferredFacts(pool, DEFERRED_RESPONSES, applyResponses, keptDays));
    // Runs once the account work below has ended, which would otherwise take the work right back.
    context.resources.defer(() => leaveStages(pool, context.log));
    const accountWork = startAccountWork(
      { pool, schema: 'text', bus, pollMs: WORK_POLL_MS },
      [
        retries,
        ...stageWork({ pool, bus, relay }, works),
        trainingWork(training, context),
        textBlockWork({ pool, scoring }),
        accountDeletionWork(pool, 'text'),
        employeeErasureWork(pool, 'text', eraseEmployee(pool)),
        textRetention(pool, keptDays, context.metrics),
      ],
      context,
    );
    startStages({ pool, bus, relay, accountWork }, works, context);
    const answerCache = createAnswerCache(pool, settings.ANSWER_CACHE_MB * MEGABYTE, context);
    onAccountClosed(bus, context, (accountId) => answerCache.drop(accountId));
    const released = { pool, answerCache, scoring, log: context.log };
    const handlers = { listTextResponses: listTextResponses(released) };
    const wake = (accountId: number): void => {
      relay.wake(accountId);
      accountWork.wake();
    };
    const topics = defineService(TopicServiceDefinition, topicHandlers({ ...released, wake, masker, findRoster }, works));
    const address = await serve(settings.GRPC_LISTEN, TextServiceDefinition, handlers, context, [topics]);
    return { address, ready: () => isReachable(pool) };
  });
}

/** Ingests texts, questions, topics, and topic decisions of account admins. */
function startIntake(pool: Pool, bus: BusConnection, context: ServiceContext): void {
  const intake = { schema: 'text', pool } as const;
  consumeFacts(bus, { ...intake, consumer: 'text-analysis-question', kind: 'question', apply: applyQuestions }, context);
  consumeFacts(bus, { ...intake, consumer: 'text-analysis-response', kind: 'response', apply: applyResponses }, context);
  consumeFacts(bus, { ...intake, consumer: 'text-analysis-topic', kind: 'topic', apply: applyTopics }, context);
  const assignments = { consumer: 'text-analysis-topic_assignment', kind: 'topic_assignment' } as const;
  consumeFacts(bus, { ...intake, ...assignments, apply: applyTopicAssignments }, context);
}
