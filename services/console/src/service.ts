import { createServer } from '@survey/process/http-tls.ts';
import { closeHttp, listenOn } from '@survey/process/listen.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { openRedis } from '@survey/process/open-redis.ts';
import { AccountAdminServiceDefinition } from '@survey/proto/admin/v1/admin.ts';
import { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { connectUpstream } from '@survey/rpc/upstream.ts';
import { createApp } from './console-app.ts';
import { loadAssets } from './assets.ts';
import type { Settings } from './config.ts';
import { createLimits } from './limits.ts';
import { createSeal } from './sign-in/seal.ts';
import { createSessionStore } from './sign-in/store.ts';
import { openIssuers } from './sign-in/sign-in-providers.ts';

const MIB = 2 ** 20;
const HEADERS_TIMEOUT_MS = 5_000;
// Covers a whole request: a 256 MiB snapshot at 1 MiB/s.
const REQUEST_TIMEOUT_MS = 300_000;

/** Serves the web console. Starts, and reports the problem, even when upstreams are unavailable. */
export function startConsole(settings: Settings): Promise<Service> {
  return startService('console', settings, async (context) => {
    const { resources } = context;
    const redis = await openRedis({ url: settings.REDIS_URL, name: 'console', commandTimeoutMs: 1_000 }, context);
    const sessionLimits = {
      idleSeconds: settings.SESSION_IDLE_MINUTES * 60,
      maxMs: settings.SESSION_MAX_HOURS * 3_600_000,
    };
    const services = {
      admin: resources.use(connectUpstream(AccountAdminServiceDefinition, settings.ACCOUNT_ADMIN_ADDRESS, context)),
      topics: resources.use(connectUpstream(TopicServiceDefinition, settings.ACCOUNT_ADMIN_ADDRESS, context)),
      sessions: createSessionStore(redis, createSeal(settings.CONSOLE_SESSION_KEYS), sessionLimits),
      sessionLimits,
      issuers: openIssuers(settings, context),
      limits: createLimits(redis, settings.SIGN_INS_PER_MINUTE),
      assets: await loadAssets(),
      origin: settings.CONSOLE_URL,
      apiUrl: settings.API_URL,
      maxSnapshotBytes: settings.CONSOLE_MAX_SNAPSHOT_MB * MIB,
    };
    const limits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
    const server = await createServer(limits, settings, context.log);
    server.on('request', createApp(services, context, settings.TRUSTED_PROXY_HOPS));
    let isDraining = false;
    server.prependListener('request', (_request, response) => {
      if (isDraining) response.setHeader('Connection', 'close');
    });
    const address = await listenOn(server, settings.HTTP_LISTEN);
    resources.defer(() => closeHttp(server));
    return { address, ready: () => Promise.resolve(true), drain: () => void (isDraining = true) };
  });
}
