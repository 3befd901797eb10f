import { openBus } from '@survey/bus/connection.ts';
import { isReachable, openDatabase } from '@survey/postgres/database.ts';
import { awaitSchema } from '@survey/postgres/schema-range.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { ScoringServiceService } from '@survey/rpc/gen/survey/scoring/v1/scoring.ts';
import { serve } from '@survey/rpc/serve.ts';
import { rememberAnswers } from './answers/answer-memory.ts';
import type { Settings } from './config.ts';
import { countDecisions } from './count-decisions.ts';
import { startIntake } from './intake/start-intake.ts';
import { retryWaiting } from './jobs/retry-waiting.ts';
import { scoreReader } from './read-score.ts';
import { decideTextRelease } from './rpc/decide-text-release.ts';
import { getScore } from './rpc/get-score.ts';

const MEGABYTE = 1_000_000;

/** The one owner of the anonymity rules: answers with scores, and decides which texts may be seen. */
export function startScoringAnonymity(settings: Settings): Promise<Service> {
  return startService('scoring-anonymity', settings, async (tools) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'scoring-anonymity', maxConnections: 20 }, tools);
    await awaitSchema(pool, tools);
    const bus = openBus(settings.NATS_URL, 'scoring-anonymity', tools);
    startIntake(pool, bus, tools);
    retryWaiting(pool, bus, tools);
    const memory = rememberAnswers(pool, settings.ANSWERS_MEMORY_MB * MEGABYTE, tools);
    const handlers = {
      getScore: getScore(scoreReader(pool, memory, tools), countDecisions('score', tools)),
      decideTextRelease: decideTextRelease(pool, countDecisions('text_cycle', tools)),
    };
    const address = await serve(settings.GRPC_LISTEN, ScoringServiceService, handlers, tools);
    return { address, ready: () => isReachable(pool) };
  });
}
