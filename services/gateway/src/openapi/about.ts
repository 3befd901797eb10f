// CommonMark, as in OpenAPI, but only paragraphs and `code`, because page.ts renders nothing else.

/** Introduction of the OpenAPI document: the conventions that all endpoints share. */
export const ABOUT = `
The service holds an organisation's employees, employee attributes, surveys (recurring, with cycles), questions, survey assignments, free-text answers and initiatives. It returns them as read-only lists, and accepts one kind of data: a complete snapshot of the workforce.

Every request under \`/v1\` must send an API key in the header \`X-Api-Key\`, and nowhere else. Keys come from the account's API keys page and allow reading; the import requires a key with the scope \`employees:write\`, which is issued when the REST API integration is connected. Such a key may also read.

Every list has the parameters \`limit\` (0 to 1000, default 100) and \`offset\` (default 0), and returns \`total_count\` and one array. More records exist while \`offset + limit < total_count\`. Total and page are consistent with each other; between two requests the list may grow.

A parameter that is unknown to the endpoint, repeated or empty is rejected with 400, because an ignored filter would return the wrong population. Datetimes are RFC 3339; the service returns them in UTC. URL-encode them: a plus sign is \`%2B\`.

The values of \`frequency\` (surveys), \`type\` (questions) and \`role\` (employees) are extensible: clients must tolerate values that are added later. They are strings here, with the known values in \`x-extensible-enum\`. Minor releases may also add fields to responses: ignore unknown fields.

Every error is returned as \`application/problem+json\` (RFC 9457). After 429, 500 and 503, retry with exponential backoff, and not before the time in \`Retry-After\`. The \`RateLimit\` headers contain the requests that a key may make per minute, and how many remain. Every response has an \`X-Request-Id\`: that of the request, if it has at most 128 of the characters \`A-Z a-z 0-9 _ . ~ : = + / @ -\`.

Responses are compressed for clients that send \`Accept-Encoding: gzip\`. HEAD returns the same headers as GET, without the body.
`.trim();

export const API_VERSION = '1.4.0';

export const API_KEY =
  'An API key of the account. One with the scope `read` is valid for every GET; one with the scope `employees:write` also for the import.';
