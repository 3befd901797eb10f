import { onAccountClosed } from '@survey/bus/account-deletion.ts';
import { openBus } from '@survey/bus/connection.ts';
import { isReachable, openDatabase } from '@survey/postgres/open-database.ts';
import { openReplicaReader } from '@survey/postgres/replica/reader.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { serve } from '@survey/rpc/serve.ts';
import { createAnswerCache } from './answers/answer-cache.ts';
import type { Settings } from './config.ts';
import { createDecisionCounter } from './release/decision-metrics.ts';
import { startIntake } from './facts/start-intake.ts';
import { scoreReader } from './scores/read-score.ts';
import { decideTextRelease, releaseTextBlocks } from './release/decide-text-release.ts';
import { getScore } from './scores/get-score.ts';
import { formTextBlocks } from './release/text-blocks.ts';

const MEGABYTE = 1_000_000;
// Two loads, plus the replica lag check.
const REPLICA_CONNECTIONS = 3;

/**
 * Starts the only owner of the anonymity rules: computes scores and decides which texts are
 * released.
 */
export function startScoringAnonymity(settings: Settings): Promise<Service> {
  return startService('scoring-anonymity', settings, async (tools) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'scoring-anonymity', maxConnections: 20 }, tools);
    await waitForCompatibleSchema(pool, tools);
    const bus = openBus(settings.NATS_URL, 'scoring-anonymity', tools);
    startIntake(pool, bus, settings.ANSWER_RETENTION_DAYS, tools);
    // Decisions read the primary. Only loads may use a stale replica: each score syncs the cache
    // with the primary's snapshot.
    const { DATABASE_REPLICA_URL: url, DATABASE_REPLICA_MAX_LAG_SECONDS: maxLagSeconds } = settings;
    const replica = { url, name: 'scoring-anonymity', maxConnections: REPLICA_CONNECTIONS, maxLagSeconds };
    const memory = createAnswerCache(openReplicaReader(pool, replica, tools), settings.ANSWER_CACHE_MB * MEGABYTE, tools);
    onAccountClosed(bus, tools, (accountId) => memory.drop(accountId));
    const handlers = {
      getScore: getScore(scoreReader(pool, memory, tools), createDecisionCounter('score', tools)),
      decideTextRelease: decideTextRelease(pool, createDecisionCounter('text_cycle', tools)),
      formTextBlocks: formTextBlocks(pool),
      releaseTextBlocks: releaseTextBlocks(pool, createDecisionCounter('text_block', tools)),
    };
    const address = await serve(settings.GRPC_LISTEN, ScoringServiceDefinition, handlers, tools);
    return { address, ready: () => isReachable(pool) };
  });
}
