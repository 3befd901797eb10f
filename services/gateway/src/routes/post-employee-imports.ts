import type { IncomingMessage } from 'node:http';
import type {
  ImportServiceService,
  StartImportRequest,
  StartImportRequest_Head,
} from '@survey/rpc/gen/survey/imports/v1/imports.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { v7 as uuidv7 } from 'uuid';
import { openBody } from '../body.ts';
import { strictQuery } from '../query.ts';
import type { Endpoint } from '../route.ts';
import { sendJson } from '../send-json.ts';

const readQuery = strictQuery({});

/**
 * interface.md "POST /v1/employees/imports". The body passes through as the client sent it, still compressed: import-reconciler alone knows
 * what is in it, and whether its form is supported. A client that breaks off cancels the call, and nothing is accepted.
 */
export function postEmployeeImports(imports: Upstream<ImportServiceService>, deadlineMs: number): Endpoint {
  return async ({ request, response, caller, signal }) => {
    readQuery(request.url);
    const head = headOf(request);
    using body = openBody(request, response);
    const { import_uuid } = await imports.upload('startImport', messages(head, body.chunks()), { caller, deadlineMs, signal });
    sendJson(response, 202, { import_uuid });
  };
}

async function* messages(head: StartImportRequest_Head, chunks: AsyncIterable<Buffer>): AsyncGenerator<StartImportRequest> {
  yield { head };
  for await (const chunk of chunks) yield { chunk };
}

function headOf({ headers }: IncomingMessage): StartImportRequest_Head {
  return {
    import_uuid: uuidv7(),
    content_encoding: headers['content-encoding'] ?? '',
    content_type: headers['content-type'] ?? '',
    // Checked there too: whether the integration is connected comes first (ruling Z18).
    idempotency_key: headers['idempotency-key']?.toString(),
  };
}
