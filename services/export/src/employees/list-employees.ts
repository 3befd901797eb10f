import type { AccountReader } from '@survey/postgres/replica/reader.ts';
import type { ExportServiceDefinition } from '@survey/proto/export/v1/export.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { conditionalPage } from '../lists/conditional-page.ts';
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
  return (request, call) =>
    conditionalPage(request, call, {
      read,
      sources: ['employee', 'name'],
      keepsPlans: true,
      // Names and page come from one database snapshot; rendering starts after the connection is
      // returned.
      load: async (client, accountId) => {
        const page = await readEmployeesPage(client, { accountId, limit: request.limit, offset: request.offset });
        const optionIds = page.rows.map((row) => parseIntegers(row[7]));
        const fragments = await loadFragments(client, accountId, page.dictionary, optionIds);
        return { page, optionIds, fragments };
      },
      render: ({ page, optionIds, fragments }) =>
        toPageInChunks(renderEmployees(page, optionIds, fragments), request.accept_gzip),
    });
}
