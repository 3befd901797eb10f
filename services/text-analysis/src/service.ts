import { isReachable, openDatabase } from '@survey/postgres/database.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { serveHealth } from '@survey/rpc/serve.ts';
import type { Settings } from './config.ts';

/** Answers its health checks and nothing else yet. */
export function startTextAnalysis(settings: Settings): Promise<Service> {
  return startService('text-analysis', settings, async (tools) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'text-analysis' }, tools);
    const address = await serveHealth(settings.GRPC_LISTEN, tools);
    return { address, ready: () => isReachable(pool) };
  });
}
