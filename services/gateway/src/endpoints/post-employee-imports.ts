import type { IncomingMessage } from 'node:http';
import { employeeRecord } from '@survey/formats/employee-record.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import type { ImportServiceDefinition, StartImportRequest, StartImportRequest_Head } from '@survey/proto/imports/v1/imports.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { Upstream } from '@survey/rpc/upstream.ts';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { openBody } from '../http/request-body.ts';
import type { Operation } from './operation.ts';
import { sendJson, type Endpoint } from './route.ts';
import { strictQuery } from './strict-query.ts';

const query = {};
const readQuery = strictQuery(query);

export const employeeImportsOperation: Operation = {
  id: 'importEmployees',
  summary: 'Import a complete snapshot of the workforce',
  description: `
The body is the complete set of the employees that this API manages, however many. It is checked as a whole: one fault, and nothing is queued. A valid one is applied in the background, all of it or nothing; \`import_uuid\` is a reference for support only, and no endpoint reports the outcome.

Employees that this API created and that are no longer sent are offboarded. If that were more than the deletion threshold of the integration allows (20 % by default), or if an import_id is empty or appears twice, the import is cancelled and changes nothing. An employee whose role, language, Age Category, Seniority or e-mail address is rejected, or who has an attribute twice, is skipped; the rest is applied, and account admins get an e-mail.

One import at a time runs for an account.`.trim(),
  query,
  headers: {
    'Content-Encoding': z
      .enum(['gzip', 'identity'])
      .optional()
      .describe('How the body is compressed. No other encoding is accepted.'),
    'Idempotency-Key': z
      .string()
      .regex(/^[!-~]{1,255}$|^"[ -~]{1,510}"/)
      .optional()
      .describe(
        'A random name for this import, as it is or as a string in quotes (RFC 9651), so that a request whose answer was lost can be sent again: the same name with the same body is answered with the same 202 and imports nothing further, until 24 hours after the import was applied. An import that was cancelled or failed, or that another one followed, frees the name.',
      ),
  },
  body: {
    description: 'JSON in UTF-8: at most 1 GiB as received with gzip, at most 16 GiB of JSON, at most 8 MiB for one employee.',
    schema: z.strictObject({ employees: z.array(employeeRecord).min(1).describe('Every employee that this API manages.') }),
    example: {
      employees: [
        {
          import_id: 'E1',
          email: 'ada@example.com',
          firstname: 'Ada',
          lastname: 'Lovelace',
          language: 'en',
          attributes: [{ name: 'Department', value: { name: 'Engineering' } }],
        },
      ],
    },
  },
  success: {
    status: 202,
    description: 'The snapshot is valid and queued.',
    headers: {
      'Idempotency-Replayed': z.literal('true').optional().meta({
        description: 'The Idempotency-Key named an earlier import: `import_uuid` is its reference, and nothing was queued.',
      }),
    },
    schema: z.object({ import_uuid: z.string().describe('A reference for support only.') }),
  },
  problems: {
    400: 'The body is not valid: invalid JSON, an unknown property, a wrong type or a missing required property; `errors` says where. Nothing is queued.',
    404: 'The REST API integration is not connected for the account.',
    409: 'An import for the account is still running.',
    413: 'The body is larger than the limit.',
    415: 'The Content-Type is not application/json, or the Content-Encoding neither gzip nor identity.',
    422: 'The Idempotency-Key still belongs to another body.',
  },
};

/**
 * POST /v1/employees/imports (docs/rules/import-request.md). The body is passed on as it arrives,
 * still compressed; only import-reconciler decodes and validates it. If the client disconnects, the
 * call is cancelled and nothing is accepted.
 */
export function postEmployeeImports(imports: Upstream<ImportServiceDefinition>, deadlineMs: number): Endpoint {
  return async ({ request, response, caller, keyId, signal }) => {
    const head = headOf(request, keyId);
    const upload = (body: Iterable<Buffer> | AsyncIterable<Buffer>) =>
      imports.startImport(messages(head, body), { caller, deadlineMs, signal });
    try {
      readQuery(request.url);
    } catch (rejection) {
      // The service checks first whether the integration is connected (rule AUTH-ORDER-1). An empty
      // body gets that error too, and is never accepted.
      await upload([]).catch(throwNotConnected);
      throw rejection;
    }
    using body = openBody(request, response);
    const { import_uuid, is_replay } = await upload(body.chunks());
    await failpoint('gateway.accepted');
    if (is_replay) response.setHeader('Idempotency-Replayed', 'true');
    sendJson(response, 202, { import_uuid });
  };
}

function throwNotConnected(error: unknown): void {
  if (error instanceof ApplicationError && error.code === 'not_found') throw error;
}

async function* messages(
  head: StartImportRequest_Head,
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<StartImportRequest> {
  yield { head };
  for await (const chunk of body) yield { chunk };
  await failpoint('gateway.body_read');
}

function headOf({ headers }: IncomingMessage, keyId: string): StartImportRequest_Head {
  return {
    import_uuid: uuidv7(),
    key_id: keyId,
    content_encoding: headers['content-encoding'] ?? '',
    content_type: headers['content-type'] ?? '',
    // The service validates these, after it has checked that the integration is connected
    // (AUTH-ORDER-1).
    idempotency_key: headers['idempotency-key']?.toString(),
  };
}
