import { Problem, problemBody } from '../http/problem.ts';

const REQUEST_ID = '01981f3a-7c1e-7cc0-a1b5-6f1f3f0f4c11';

// By status, or by operation and status. test/system/openapi.test.ts compares most of them with
// responses of the services.
const EXAMPLES: Readonly<Record<string, Problem>> = {
  400: new Problem(400, 'Query parameter nope is not a parameter of this endpoint: this endpoint takes limit, offset.', {
    errors: [{ parameter: 'nope', detail: 'is not a parameter of this endpoint: this endpoint takes limit, offset' }],
  }),
  'getScore 400': new Problem(400, 'Query parameter period_from must not be later than period_to.', {
    errors: [{ parameter: 'period_from', detail: 'must not be later than period_to' }],
  }),
  'importEmployees 400': new Problem(400, 'the body has one fault: nothing was imported', {
    errors: [{ pointer: '/employees/0/import_id', detail: 'expected a string, got a number' }],
  }),
  401: new Problem(
    401,
    'The request carries no valid API key. Send one complete key, once, in the X-Api-Key header. Keys come from the account’s API keys page, and a revoked key stops working at once.',
  ),
  403: new Problem(403, 'The key does not have the scope employees:write, which this endpoint requires. Use a key that has it.'),
  404: new Problem(404, 'the REST API integration is not connected for this account'),
  'listAttributeOptions 404': new Problem(404, 'There is no such attribute, or it is not released for API use.'),
  405: new Problem(405, '/v1/surveys does not support POST. Use GET, HEAD.'),
  409: new Problem(409, 'an import for this account is still running: wait until it has ended, then send the snapshot again'),
  413: new Problem(413, 'the body is larger than 1 GiB: send fewer bytes'),
  415: new Problem(415, 'The Content-Encoding is not supported. Send the body as it is, or with Content-Encoding: gzip.'),
  422: new Problem(422, 'the Idempotency-Key was used with another body'),
  429: new Problem(
    429,
    'The key has used up its requests of this minute. Wait for the seconds in Retry-After, and request larger pages.',
  ),
  500: new Problem(500, 'An internal error occurred. Retry with exponential backoff; if it persists, report the instance.'),
  503: new Problem(503, 'The service is overloaded. Retry with exponential backoff.'),
};

/** Returns the body of a typical problem of an operation. */
export function problemExample(operationId: string, status: string): unknown {
  const problem = EXAMPLES[`${operationId} ${status}`] ?? EXAMPLES[status];
  return problem && JSON.parse(problemBody(problem, REQUEST_ID));
}
