import { openBus } from '@survey/bus/connection.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { waitForCompatibleSchema } from '@survey/postgres/schema-compatibility.ts';
import { openRedis } from '@survey/process/open-redis.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import { ImportServiceDefinition } from '@survey/proto/imports/v1/imports.ts';
import { ScoringServiceDefinition } from '@survey/proto/scoring/v1/scoring.ts';
import { TextServiceDefinition } from '@survey/proto/text/v1/text.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import { createApp, type Limits } from './app.ts';
import type { Settings } from './config.ts';
import { serveHttp } from './http/http-server.ts';
import { listenForRevocations, openApiKeys } from './keys/api-keys.ts';
import { batchLookups, findApiKeys } from './keys/find-api-keys.ts';
import { addKeyUsage, openKeyUsage } from './keys/key-usage.ts';
import { openRequestCount, watchRejections } from './overload/limit-rate.ts';

const REDIS_TIMEOUT_MS = 100;

/**
 * Starts the public API. It serves requests even when other services are unavailable; only uncached
 * keys need the database.
 */
export function startGateway(settings: Settings): Promise<Service> {
  return startService('gateway', settings, async (context) => {
    const { resources, log } = context;
    const importDeadlineMs = settings.IMPORT_DEADLINE_SECONDS * 1_000;
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'gateway', maxConnections: 4 }, context);
    // Cached keys are accepted without the database.
    await waitForCompatibleSchema(pool, context, { skipIfUnavailable: true });
    const redis = await openRedis({ url: settings.REDIS_URL, name: 'gateway', commandTimeoutMs: REDIS_TIMEOUT_MS }, context);
    watchRejections(redis, context);
    const keys = openApiKeys(batchLookups((hashes) => findApiKeys(pool, hashes), context));
    const requestCount = openRequestCount(redis, context);
    const keyUsage = openKeyUsage((usage) => addKeyUsage(pool, usage), context);
    listenForRevocations(openBus(settings.NATS_URL, 'gateway', context), keys, log);
    const exportService = resources.use(connectUpstream(ExportServiceDefinition, settings.EXPORT_ADDRESS, context));
    const imports = resources.use(connectUpstream(ImportServiceDefinition, settings.IMPORT_RECONCILER_ADDRESS, context));
    const [scoringAt, textAt] = [settings.SCORING_ANONYMITY_ADDRESS, settings.TEXT_ANALYSIS_ADDRESS];
    const scoring = resources.use(connectUpstream(ScoringServiceDefinition, scoringAt, context, { byAccount: true }));
    const textService = resources.use(connectUpstream(TextServiceDefinition, textAt, context, { byAccount: true }));
    const app = createApp(
      {
        keys,
        requestCount,
        keyUsage,
        exportService,
        imports,
        scoring,
        textService,
        importDeadlineMs,
        limits: limitsOf(settings),
      },
      context,
    );
    const options = { requestTimeoutMs: importDeadlineMs, tls: settings, log };
    const server = resources.use(await serveHttp(settings.HTTP_LISTEN, app, options));
    return { address: server.address, ready: () => Promise.resolve(true), drain: () => server.drain() };
  });
}

function limitsOf(settings: Settings): Limits {
  return {
    requestsPerMinute: settings.RATE_LIMIT,
    maxConcurrentReads: settings.MAX_CONCURRENT_READS,
    maxConcurrentHeavyReadsPerAccount: settings.MAX_CONCURRENT_HEAVY_READS_PER_ACCOUNT,
    maxEventLoopDelayMs: settings.MAX_EVENT_LOOP_DELAY_MS,
  };
}
