// CommonMark, as in OpenAPI, but only paragraphs and `code`, because page.ts renders nothing else.

/** Introduction of the OpenAPI document: the conventions that all endpoints share. */
export const ABOUT = `
The service holds an organisation's employees, employee attributes, surveys (recurring, with cycles), questions, survey assignments, free-text answers and initiatives. It gives them out as read-only lists, and takes in one thing: a complete snapshot of the workforce.

Every request under \`/v1\` carries an API key in the header \`X-Api-Key\`, and nowhere else. Keys come from the account's API keys page and may read; the import needs a key with the scope \`employees:write\`, which is issued when the REST API integration is connected. Such a key may also read.

Every list takes \`limit\` (0 to 1000, default 100) and \`offset\` (default 0) and answers with \`total_count\` and one array. More records exist while \`offset + limit < total_count\`. Total and page are of one moment; between two requests the list may grow.

A parameter that an endpoint does not know, or that is given twice or empty, is refused with 400: an ignored filter would answer for the wrong population. Times are RFC 3339; those that the service returns are in UTC. URL-encode them: a plus sign is \`%2B\`.

The values of \`frequency\` (surveys), \`type\` (questions) and \`role\` (employees) are open: more may come, and clients must tolerate them. They are strings here, with the known values in \`x-extensible-enum\`. Answers may gain fields in minor releases, too: ignore those that you do not know.

Whatever goes wrong is answered as \`application/problem+json\` (RFC 9457). After 429, 500 and 503 try again with exponential backoff, and not before \`Retry-After\` if the answer has it. How many requests a key may make in a minute, and how many are left, stands in the \`RateLimit\` headers. Every answer has an \`X-Request-Id\`: yours, if the request had one of up to 128 of the characters \`A-Z a-z 0-9 _ . ~ : = + / @ -\`.

Answers are compressed for clients that send \`Accept-Encoding: gzip\`. HEAD is answered like GET, without the body.
`.trim();

export const API_VERSION = '1.4.0';

export const API_KEY =
  'An API key of the account. One with the scope `read` is valid for every GET; one with the scope `employees:write` also for the import.';
