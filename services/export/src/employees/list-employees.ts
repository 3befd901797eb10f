import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { createOptionCache } from './option-cache.ts';
import { toPageInChunks } from '@survey/rpc/page.ts';
import { parseIntegers, renderEmployees } from './render-employees.ts';
import { readEmployeesPage } from './employees-page.ts';

/**
 * GET /v1/employees (docs/rules/resources.md). With limit 0 or an offset beyond the end, returns an
 * empty page with the actual total_count.
 */
export function listEmployees(read: AccountReader): Handlers<ExportServiceDefinition>['listEmployees'] {
  const loadFragments = createOptionCache();
  return async ({ limit, offset, accept_gzip }, call) => {
    const accountId = accountOf(call);
    // Names and page come from one database snapshot; rendering starts after the connection is
    // returned.
    const { page, optionIds, fragments } = await read(
      accountId,
      async (client) => {
        const page = await readEmployeesPage(client, { accountId, limit, offset });
        const optionIds = page.rows.map((row) => parseIntegers(row[7]));
        const fragments = await loadFragments(client, accountId, page.dictionary, optionIds);
        return { page, optionIds, fragments };
      },
      { deadline: call.deadline, keepsPlans: true },
    );
    return toPageInChunks(renderEmployees(page, optionIds, fragments), accept_gzip);
  };
}
