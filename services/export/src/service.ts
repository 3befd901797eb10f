import { isReachable, openDatabase } from '@survey/postgres/database.ts';
import { startService, type Service } from '@survey/process/service.ts';
import { ExportServiceService } from '@survey/rpc/gen/survey/export/v1/export.ts';
import { serve } from '@survey/rpc/serve.ts';
import type { Settings } from './config.ts';
import { listEmployees } from './rpc/list-employees.ts';

/** Plain reads of the contract's lists: no rules, no writes. */
export function startExport(settings: Settings): Promise<Service> {
  return startService('export', settings, async (tools) => {
    const pool = openDatabase({ url: settings.DATABASE_URL, name: 'export' }, tools);
    const handlers = { listEmployees: listEmployees(pool) };
    const address = await serve(settings.GRPC_LISTEN, ExportServiceService, handlers, tools);
    return { address, ready: () => isReachable(pool) };
  });
}
