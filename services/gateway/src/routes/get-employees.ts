import type { ExportServiceService } from '@survey/rpc/gen/survey/export/v1/export.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { acceptsGzip } from '../accept-encoding.ts';
import { paging } from '../paging.ts';
import { strictQuery } from '../query.ts';
import type { Endpoint } from '../route.ts';
import { sendPage } from '../send-page.ts';

const DEADLINE_MS = 2_000;
const readQuery = strictQuery(paging);

/** interface.md "GET /v1/employees". */
export function getEmployees(exporter: Upstream<ExportServiceService>): Endpoint {
  return async ({ request, response, caller, signal }) => {
    const { limit, offset } = readQuery(request.url);
    const accept_gzip = acceptsGzip(request.headers['accept-encoding']);
    const page = await exporter.call(
      'listEmployees',
      { limit, offset, accept_gzip },
      { caller, deadlineMs: DEADLINE_MS, signal },
    );
    sendPage(response, page);
  };
}
