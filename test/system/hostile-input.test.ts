import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectProblem, type Answer, type RequestHeaders, whenServed } from '../support/api.ts';
import { openIntake, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { exchangeBytes, statusesIn } from '../support/raw-http.ts';
import { R } from '../support/records.ts';

// The remaining hostile inputs, and the size limits as settings.
const { api, db, operator, importAndWait, listEmployees, stack } = await startFileStack({
  'import-reconciler': { MAX_GZIP_BODY_MIB: '1', MAX_JSON_BODY_MIB: '20', MAX_INFLATION_RATIO: '50' },
});
const account = await operator.createAccount();
const gateway = stack.services.gateway.address;

const post = (body: unknown, headers: RequestHeaders = {}): Promise<Answer> =>
  api.post('/v1/employees/imports', body, account.writeKey, headers);

async function expectNothingQueued(): Promise<void> {
  const { rows } = await db.query(
    'select from imports.import where account_id = $1 union all select from imports.payload where account_id = $1',
    [account.accountId],
  );
  expect(rows).toHaveLength(0);
}

async function expectRejection(status: number, body: unknown, headers: RequestHeaders = {}) {
  const problem = expectProblem(await post(body, headers), status);
  await expectNothingQueued();
  return problem;
}

const raw = (more: string): string =>
  `{"employees":[{"import_id":"E1","email":"e1@x.io","firstname":"F1","lastname":"L1"${more}}]}`;
const nested = (levels: number): string => raw(`,"attributes":${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('400 for a body', () => {
  it.each<[string, unknown]>([
    [
      'two lone surrogates that would become one id',
      { employees: [R(1, { import_id: '\ud800' }), R(2, { import_id: '\ud801' })] },
    ],
    [
      'NUL in a name inside a grant [IMPORT-REQUEST-JSON-1]',
      raw(',"permissions":{"grants":[{"attribute":{"name":"a\\u0000"},"value":{"name":"b"}}]}'),
    ],
    [
      'a property twice inside a value [IMPORT-REQUEST-JSON-2]',
      raw(',"attributes":[{"name":"D","value":{"name":"x","name":"y"}}]'),
    ],
    [
      'a property twice, once with an escape in its name [IMPORT-REQUEST-JSON-2]',
      raw(',"role":"Admin","rol\\u0065":"Respondee"'),
    ],
    ['employees twice [IMPORT-REQUEST-JSON-2]', '{"employees":[],"employees":[]}'],
    ['permissions twice, one of them null [IMPORT-REQUEST-JSON-2]', raw(',"permissions":null,"permissions":{"all_data":true}')],
    ['constructor as a property [IMPORT-REQUEST-JSON-2]', raw(',"constructor":{"prototype":{"isAdmin":true}}')],
    ['__proto__ beside employees [IMPORT-REQUEST-JSON-2]', '{"__proto__":{"employees":[]},"employees":[]}'],
    ['1e999 as a value', raw(',"role":1e999')],
    ['a number that loses its precision as an id', `{"employees":[${JSON.stringify(R(1)).replace('"E1"', '9007199254740993')}]}`],
    ['a number with a leading zero', raw(',"role":01')],
    ['NaN', raw(',"role":NaN')],
    ['a comment', raw('/* */')],
    ['a comma after the last property', raw(',')],
    ['a tab inside a string', raw(',"role":"a\tb"')],
    ['nesting one level beyond 32', nested(40)],
    ['an import_id of 20 kB', { employees: [R(1, { import_id: 'x'.repeat(20_000) })] }],
    ['an e-mail address of 20 kB', { employees: [R(1, { email: `${'x'.repeat(20_000)}@x.io` })] }],
    ['an e-mail address of 321 characters', { employees: [R(1, { email: `${'x'.repeat(316)}@x.io` })] }],
    ['a list at the top', [R(1)]],
    ['a string at the top', '"employees"'],
    ['null at the top', 'null'],
    ['UTF-16', Buffer.from(`\ufeff${raw('')}`, 'utf16le')],
    [
      'an overlong encoding of a slash',
      Buffer.concat([Buffer.from(raw('').slice(0, -4)), Buffer.from([0xc0, 0xaf]), Buffer.from('"}]}')]),
    ],
    [
      'a surrogate in UTF-8 bytes',
      Buffer.concat([Buffer.from(raw('').slice(0, -4)), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}]}')]),
    ],
  ])('%s', async (_what, body) => {
    await expectRejection(400, body);
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });

  it.each(['application/json; charset=utf-16', 'application/json;charset=latin1', 'application/json; charset="iso-8859-1"'])(
    'Content-Type: %s',
    async (type) => {
      await expectRejection(400, { employees: [R(1)] }, { 'content-type': type });
    },
  );

  it('gzip with bytes behind it, or with zeros behind it [IMPORT-REQUEST-ENCODING-1]', async () => {
    const whole = gzipSync(JSON.stringify({ employees: [R(1)] }));
    for (const tail of ['x', '\0\0\0\0', '\0{"employees":[]}'])
      await expectRejection(400, Buffer.concat([whole, Buffer.from(tail)]), { 'content-encoding': 'gzip' });
  });
});

describe('413 for a body above a ceiling that the operator set', () => {
  it('of JSON', async () => {
    const { detail } = await expectRejection(413, `${raw('')}${' '.repeat(21 * 2 ** 20)}`);
    expect(detail).toContain('jsonBytes');
  });

  it('of gzip as received', async () => {
    const noise = Array.from({ length: 60_000 }, (_, n) => R(n, { firstname: `F${Math.random()}${Math.random()}` }));
    const { detail } = await expectRejection(413, gzipSync(JSON.stringify({ employees: noise })), { 'content-encoding': 'gzip' });
    expect(detail).toContain('compressedBytes');
  });

  it('of JSON for each byte of gzip [IMPORT-REQUEST-SIZE-1]', async () => {
    const { detail } = await expectRejection(413, gzipSync(`${' '.repeat(19 * 2 ** 20)}${raw('')}`), {
      'content-encoding': 'gzip',
    });
    expect(detail).toContain('inflationRatio');
  });
});

describe('400 for a query', () => {
  it.each([
    '/v1/employees?offset=9223372036854775808',
    '/v1/employees?offset=-1',
    '/v1/employees?limit=9007199254740993',
    '/v1/employees?limit=1e999',
    '/v1/employees?limit=0x10',
    '/v1/employees?limit=%EF%BC%91',
    '/v1/employees?limit=1%00',
    '/v1/employees?limit=1&limit=1',
    '/v1/employees?limit=1&%6cimit=2',
    '/v1/employees?limit=1;offset=2',
    '/v1/employees?__proto__=1',
    '/v1/employees?constructor=1',
    '/v1/employees?limit[$gt]=1',
    '/v1/employees?%00=1',
    '/v1/employees?%=1',
    '/v1/employees?limit=%E0%80%AF',
    '/v1/surveys?created_after=infinity',
    '/v1/surveys?created_after=294277-01-01T00:00:00Z',
    '/v1/surveys?created_after=2024-01-01T00:00:00Z%00',
    '/v1/surveys?created_after=now',
    '/v1/surveys?created_after=epoch',
    "/v1/surveys?is_archived=true'--",
    '/v1/survey_assignments?survey_id=1%20or%201=1',
    '/v1/survey_assignments?survey_id=NaN',
    '/v1/initiatives?status=draft%00',
    '/v1/scores?question_ids=1%2C2%00&period_from=2024-01-01T00:00:00Z&period_to=2024-01-02T00:00:00Z',
    '/v1/scores?question_ids=1&period_from=-infinity&period_to=infinity',
    '/v1/attributes/9223372036854775808/options',
    '/v1/attributes/1%00/options',
    '/v1/attributes/..%2f..%2f/options',
  ])('%s', async (path) => {
    expectProblem(await api.get(path, account.readKey), 400);
  });

  it.each([
    '/v1/survey_assignments?survey_id=9007199254740991',
    '/v1/survey_assignments?survey_id=-1',
    '/v1/attributes/-1/options',
  ])('not for an id that nothing has: %s', async (path) => {
    expect([200, 404]).toContain((await api.get(path, account.readKey)).status);
  });
});

describe('a connection is not taken for two requests', () => {
  const { readKey, writeKey } = account;
  const head = (start: string, ...headers: string[]): string =>
    [start, 'Host: a', `X-Api-Key: ${readKey}`, ...headers, '', ''].join('\r\n');
  const smuggled = head('GET /v1/surveys HTTP/1.1');
  const post = (...headers: string[]): string => head('POST /v1/surveys HTTP/1.1', ...headers);

  it.each([
    ['a length and a transfer coding', post('Content-Length: 6', 'Transfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`],
    ['a transfer coding and a length', post('Transfer-Encoding: chunked', 'Content-Length: 6') + `0\r\n\r\n${smuggled}`],
    ['two lengths', post('Content-Length: 0', 'Content-Length: 5') + smuggled],
    ['the same length twice', post('Content-Length: 5', 'Content-Length: 5') + `hello${smuggled}`],
    ['a list of lengths', post('Content-Length: 5, 5') + `hello${smuggled}`],
    ['a length with a sign', post('Content-Length: +5') + `hello${smuggled}`],
    ['a negative length', post('Content-Length: -1') + smuggled],
    ['a length in hexadecimal', post('Content-Length: 0x5') + `hello${smuggled}`],
    ['a length with a space inside', post('Content-Length: 1 0') + `hello${smuggled}`],
    ['an unknown transfer coding, pipelined', post('Transfer-Encoding: xchunked') + `0\r\n\r\n${smuggled}`],
    ['chunked, but not last', post('Transfer-Encoding: chunked, identity') + `0\r\n\r\n${smuggled}`],
    ['two transfer codings', post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + `0\r\n\r\n${smuggled}`],
    ['a space before the colon', post('Transfer-Encoding : chunked') + `0\r\n\r\n${smuggled}`],
    ['a folded header', post('Transfer-Encoding:', ' chunked') + `0\r\n\r\n${smuggled}`],
    ['a line feed alone', smuggled.replaceAll('\r\n', '\n')],
    ['a carriage return alone', post('X: a\rContent-Length: 5') + `hello${smuggled}`],
    ['NUL in a header', post('X: a\0b') + smuggled],
    ['NUL in the path', head('GET /v1/\0surveys HTTP/1.1')],
    ['a space in the path', head('GET /v1/sur veys HTTP/1.1')],
    ['a chunk of an impossible size', post('Transfer-Encoding: chunked') + `fffffffffffffffff\r\n${smuggled}`],
    ['a chunk of negative size', post('Transfer-Encoding: chunked') + `-1\r\n${smuggled}`],
    ['a chunk that is longer than it says', post('Transfer-Encoding: chunked') + `1\r\nhello\r\n0\r\n\r\n${smuggled}`],
    ['a header without a colon', head('GET /v1/surveys HTTP/1.1', 'X')],
    ['a version that is none', head('GET /v1/surveys HTTP/1.2')],
    ['a request before HTTP/1.0', `GET /v1/surveys\r\n\r\n${smuggled}`],
    ['20 kB of headers', head('GET /v1/surveys HTTP/1.1', `X: ${'x'.repeat(20_000)}`)],
    ['3,000 headers', head('GET /v1/surveys HTTP/1.1', ...Array.from({ length: 3_000 }, (_, n) => `X${n}: y`))],
  ])('%s', async (_what, bytes) => {
    const { answer } = await exchangeBytes(gateway, [bytes], 3_000);
    const statuses = statusesIn(answer);
    // The first may be rejected by method before its body ends; the bytes after it never get a
    // response.
    expect(statuses.filter((status) => status < 300)).toEqual([]);
    expect([400, 401, 405, 431]).toContain(statuses[0]);
    expect(answer).toContain('application/problem+json');
  });

  it('a chunk of impossible size in the packet of the headers is answered at once', async () => {
    const start = head('POST /v1/employees/imports HTTP/1.1', 'Transfer-Encoding: chunked').replace(readKey, writeKey);
    const { answer, tookMs } = await exchangeBytes(gateway, [`${start}zz\r\n`]);
    expect(statusesIn(answer)).toEqual([400]);
    expect(tookMs).toBeLessThan(8_000);
  });

  it('bytes after an unread body are not parsed as a request', async () => {
    const body = smuggled.padEnd(smuggled.length + 100, 'x');
    const { answer } = await exchangeBytes(gateway, [post(`Content-Length: ${body.length}`), body, smuggled], 3_000);
    // The rejected request, and the one after its complete body.
    expect(statusesIn(answer)).toEqual([405, 200]);
  });

  it('an import that is rejected early does not make a request of its body', async () => {
    const start = head('POST /v1/employees/imports?x=1 HTTP/1.1', 'Content-Length: 1000').replace(readKey, writeKey);
    const { answer } = await exchangeBytes(gateway, [start, smuggled], 8_000);
    expect(statusesIn(answer)).toEqual([400]);
  });
});

describe('a list', () => {
  it('whose records are too large together is read in smaller pages, one at a time [LISTS-LIMIT-3]', async () => {
    const intake = await openIntake(stack);
    const large = { name: { en: 'x'.repeat(450_000) } };
    await intake.publishFacts(
      account.accountId,
      'survey',
      Array.from({ length: 40 }, (_, nth) => survey(nth + 1, large)),
      { batch: 2 },
    );
    const page = (limit: number): Promise<Answer> => api.get(`/v1/surveys?limit=${limit}`, account.readKey);
    const { errors } = expectProblem(await whenServed(() => page(1_000)), 400);
    expect(errors).toMatchObject([{ parameter: 'limit', detail: expect.stringContaining('must be lower') }]);
    // One is read at a time, and four of an account wait.
    const atOnce = async (): Promise<number> => {
      const pages = await Promise.all(Array.from({ length: 8 }, () => page(30)));
      const late = pages.filter(({ status }) => status !== 200);
      for (const answer of late) {
        expectProblem(answer, 503);
        expect(answer.headers.get('retry-after')).not.toBeNull();
      }
      return pages.length - late.length;
    };
    await expect.poll(atOnce).toBeGreaterThan(0);
    await expect.poll(async () => (await page(30)).status).toBe(200);
  });
});

describe('202', () => {
  it('accepts what only looks hostile: two gzip members, any text, and a valid snapshot after all of these', async () => {
    await expectNothingQueued();
    const json = JSON.stringify({ employees: [R(1, { lastname: "O'Hara; drop table employee; -- ‮<script>\u200b" })] });
    const body = Buffer.concat([gzipSync(json.slice(0, 30)), gzipSync(json.slice(30))]);
    expect((await post(body, { 'content-encoding': 'gzip' })).status).toBe(202);
    await expect.poll(async () => (await listEmployees(account)).total_count).toBe(1);
    expect((await listEmployees(account)).employees[0]?.lastname).toContain('drop table');
    await importAndWait(account, [R(1)]);
  });
});
