import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { createApiKey } from '@survey/formats/api-key.ts';
import { describe, expect, it } from 'vitest';
import { shareStack } from '../support/file-stack.ts';

// Every shape of a credential on every endpoint. Anything but exactly one valid X-Api-Key gets
// the same 401.
const { api, db, operator, stack } = await shareStack();
const account = await operator.createAccount();
const { readKey, writeKey } = account;
const revoked = await operator.createAccount();
await db.query('update admin.api_key set revoked_at = now() where account_id = $1', [revoked.accountId]);

interface Endpoint {
  readonly method: string;
  readonly path: string;
}

const document = (await api.get('/openapi.json')).body as { paths: Record<string, Record<string, unknown>> };
const endpoints: Endpoint[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace('{attribute_id}', '1') })),
);

type Headers = Readonly<Record<string, string | string[]>>;
interface Seen {
  readonly status: number;
  readonly body: string;
}

// Not fetch: it would normalise the headers.
function send({ method, path }: Endpoint, headers: Headers, query = ''): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const url = `http://${stack.services.gateway.address}${path}${query}`;
    const call = request(url, { method, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

const half = Math.floor(readKey.length / 2);
const swapped = `${readKey.slice(0, half)}${readKey[half + 1]}${readKey[half]}${readKey.slice(half + 2)}`;
const key = (value: string | string[]): Headers => ({ 'X-Api-Key': value });

// The last entry of a row is a query.
const REJECTED: [string, Headers, string?][] = [
  ['none', {}],
  ['an empty one', key('')],
  ['spaces', key('   ')],
  ['a tab', key('\t')],
  ['a word', key('letmein')],
  ['null as a word', key('null')],
  ['one that was never given out', key(createApiKey('read').key)],
  ['a write key that was never given out', key(createApiKey('employees:write').key)],
  ['one that was revoked', key(revoked.readKey)],
  ['a write key that was revoked', key(revoked.writeKey)],
  ['one without its last character', key(readKey.slice(0, -1))],
  ['one with a character too many', key(`${readKey}0`)],
  ['one with two characters swapped', key(swapped)],
  ['one in capitals', key(readKey.toUpperCase())],
  ['one in quotes', key(`"${readKey}"`)],
  ['one with a space inside', key(`${readKey.slice(0, half)} ${readKey.slice(half)}`)],
  ['one behind Bearer', key(`Bearer ${readKey}`)],
  ['its hash', key(createHash('sha256').update(readKey).digest('hex'))],
  ['its prefix with a wildcard', key(`${readKey.slice(0, 12)}*`)],
  ['SQL', key(`${readKey}' or '1'='1`)],
  ['two in one header', key(`${readKey}, ${writeKey}`)],
  ['two headers', key([readKey, writeKey])],
  ['a good one and an empty one', key([readKey, ''])],
  ['10,000 characters', key('a'.repeat(10_000))],
  ['one as Authorization', { Authorization: `Bearer ${readKey}` }],
  ['one as the password of Basic', { Authorization: `Basic ${Buffer.from(`key:${readKey}`).toString('base64')}` }],
  ['one in a cookie', { Cookie: `X-Api-Key=${readKey}` }],
  ['one under another name', { 'X-Api-Key2': readKey, 'Api-Key': readKey, X_Api_Key: readKey }],
  ['one in the query', {}, `?api_key=${readKey}&X-Api-Key=${readKey}`],
];

const withoutInstance = ({ body }: Seen): object => ({ ...Object(JSON.parse(body)), instance: undefined });

describe.each(endpoints)('$method $path', (endpoint) => {
  it.each(REJECTED)('401 for %s', async (_what, headers, query) => {
    const seen = await send(endpoint, headers, query);
    expect(seen.status).toBe(401);
    expect(withoutInstance(seen)).toEqual(withoutInstance(await send(endpoint, {})));
  });

  it('lets in a read key, a write key, and either with spaces around it, but for the scope', async () => {
    // Imports require a write key; this request has no body.
    const answers = [];
    for (const value of [readKey, `  ${readKey} `, writeKey]) answers.push((await send(endpoint, key(value))).status);
    const scopeOnly = endpoint.method === 'POST' ? [403, 403] : [];
    expect(answers).not.toContain(401);
    expect(answers.filter((status) => status === 403)).toEqual(scopeOnly);
  });
});

it('covers every endpoint of the document with at least 20 shapes', () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(10);
  expect(REJECTED.length).toBeGreaterThanOrEqual(20);
});
