import { once } from 'node:events';
import { createGzip, gzipSync } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { expectProblem, type Answer, type RequestHeaders } from '../support/api.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// The bodies that POST /v1/employees/imports rejects; test/proofs/import-size.test.ts sends the
// largest that it accepts.
const { api, db, operator, importAndWait } = await shareStack();
const account = await operator.createAccount();

const post = (body: unknown, headers: RequestHeaders = {}): Promise<Answer> =>
  api.post('/v1/employees/imports', body, account.writeKey, headers);

// Expects a rejection, and neither an import nor a chunk stored (rule IMPORT-REQUEST-SHAPE-6).
async function expectRejection(status: 400 | 413 | 415, body: unknown, headers: RequestHeaders = {}) {
  const problem = expectProblem(await post(body, headers), status);
  const { rows } = await db.query(
    'select from imports.import where account_id = $1 union all select from imports.payload where account_id = $1',
    [account.accountId],
  );
  expect(rows).toHaveLength(0);
  return problem;
}

const withAttributes = (attributes: unknown): object => ({ employees: [R(1, { attributes })] });
const withGrant = (grant: unknown): object => ({ employees: [R(1, { permissions: { grants: [grant] } })] });
const without = (property: string): object => {
  const { [property]: _left, ...rest } = R(1);
  return { employees: [rest] };
};
const raw = (record: string): string => `{"employees":[${record}]}`;
const rawR1 = (more: string): string => raw(`{"import_id":"E1","email":"e1@x.io","firstname":"F1","lastname":"L1"${more}}`);

describe('400', () => {
  it.each<[string, string, unknown]>([
    ['IMPORT-REQUEST-SHAPE-1', 'a body without employees', {}],
    ['IMPORT-REQUEST-SHAPE-1', 'employees that are an object', { employees: {} }],
    ['IMPORT-REQUEST-SHAPE-1', 'employees that are a string', { employees: 'x' }],
    ['IMPORT-REQUEST-SHAPE-1', 'an unknown property beside employees', { employees: [R(1)], dry_run: true }],
    ['IMPORT-REQUEST-JSON-1', 'JSON that breaks off', '{"employees":['],
    ['IMPORT-REQUEST-JSON-1', 'a body that is empty', ''],
    ['IMPORT-REQUEST-JSON-1', 'bytes after the end', `${JSON.stringify({ employees: [R(1)] })}{}`],
    ['IMPORT-REQUEST-JSON-1', 'a lone surrogate', rawR1(',"language":"\\ud800"')],
  ])('rejects $1 [$0]', async (_id, _what, body) => {
    await expectRejection(400, body);
  });

  it('rejects an empty list of employees', async () => {
    await expectRejection(400, { employees: [] });
  });

  it.each<[string, string, string, unknown]>([
    [
      'IMPORT-REQUEST-SHAPE-2',
      'an unknown property of a record',
      '/employees/0/department',
      { employees: [R(1, { department: 'x' })] },
    ],
    [
      'IMPORT-REQUEST-SHAPE-2',
      'an unknown property of a value',
      '/employees/0/attributes/0/value/id',
      withAttributes([{ name: 'D', value: { name: 'x', id: 1 } }]),
    ],
    ['IMPORT-REQUEST-SHAPE-3', 'a record without email', '/employees/0', without('email')],
    ['IMPORT-REQUEST-SHAPE-3', 'a record without firstname', '/employees/0', without('firstname')],
    ['IMPORT-REQUEST-SHAPE-3', 'a record without lastname', '/employees/0', without('lastname')],
    ['IMPORT-REQUEST-SHAPE-3', 'a record without import_id', '/employees/0', without('import_id')],
    ['IMPORT-REQUEST-SHAPE-3', 'import_id null', '/employees/0/import_id', { employees: [R(1, { import_id: null })] }],
    ['IMPORT-REQUEST-SHAPE-3', 'a number as import_id', '/employees/0/import_id', { employees: [R(1, { import_id: 5 })] }],
    ['IMPORT-REQUEST-SHAPE-3', 'a number as role', '/employees/0/role', { employees: [R(1, { role: 5 })] }],
    ['IMPORT-REQUEST-SHAPE-3', 'a number as language', '/employees/0/language', { employees: [R(1, { language: 5 })] }],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a number as reports_to_id',
      '/employees/0/reports_to_id',
      { employees: [R(1, { reports_to_id: 5 })] },
    ],
    ['IMPORT-REQUEST-SHAPE-3', 'an attribute without value', '/employees/0/attributes/0', withAttributes([{ name: 'D' }])],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a string as value',
      '/employees/0/attributes/0/value',
      withAttributes([{ name: 'D', value: 'Sales' }]),
    ],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a value without name',
      '/employees/0/attributes/0/value',
      withAttributes([{ name: 'D', value: {} }]),
    ],
    ['IMPORT-REQUEST-SHAPE-4', 'attributes null', '/employees/0/attributes', withAttributes(null)],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a grant without value',
      '/employees/0/permissions/grants/0',
      withGrant({ attribute: { name: 'C' } }),
    ],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a grant with value null',
      '/employees/0/permissions/grants/0/value',
      withGrant({ attribute: { name: 'C' }, value: null }),
    ],
    [
      'IMPORT-REQUEST-SHAPE-2',
      'an unknown property of a grant',
      '/employees/0/permissions/grants/0/attribute/id',
      withGrant({ attribute: { name: 'C', id: 1 }, value: { name: 'x' } }),
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      'import_id twice in one record',
      '/employees/0',
      raw('{"import_id":"E1","import_id":"E2","email":"e1@x.io","firstname":"F1","lastname":"L1"}'),
    ],
    ['IMPORT-REQUEST-JSON-2', 'role twice in one record', '/employees/0', rawR1(',"role":"Respondee","role":"Admin"')],
    ['IMPORT-REQUEST-JSON-2', '__proto__ as a property', '/employees/0/__proto__', rawR1(',"__proto__":{"x":1}')],
    ['IMPORT-REQUEST-JSON-1', 'a NUL character', '/employees/0', rawR1(',"role":"\\u0000"')],
    [
      'IMPORT-REQUEST-TEXTS-1',
      'an attribute name of 256 characters',
      '/employees/0/attributes/0',
      withAttributes([{ name: 'n'.repeat(256), value: null }]),
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      'a value name of 256 characters',
      '/employees/0/attributes/0',
      withAttributes([{ name: 'D', value: { name: 'n'.repeat(256) } }]),
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      'an attribute name that is empty',
      '/employees/0/attributes/0',
      withAttributes([{ name: '', value: null }]),
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      'an attribute name that is blank',
      '/employees/0/attributes/0',
      withAttributes([{ name: ' \t', value: null }]),
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      'a value name that is empty',
      '/employees/0/attributes/0',
      withAttributes([{ name: 'D', value: { name: '' } }]),
    ],
    ['IMPORT-REQUEST-SHAPE-3', 'firstname null', '/employees/0/firstname', { employees: [R(1, { firstname: null })] }],
    [
      'IMPORT-REQUEST-SHAPE-3',
      'a year as a JSON number',
      '/employees/0/attributes/0/value',
      withAttributes([{ name: 'Age Category', value: { name: 1990 } }]),
    ],
  ])('rejects $1 and points at it [$0]', async (_id, _what, pointer, body) => {
    const { errors } = await expectRejection(400, body);
    expect(errors).toContainEqual(expect.objectContaining({ pointer: expect.stringMatching(`^${pointer}(/|$)`) }));
  });

  it('rejects 9,999 good records for one unknown property, and points at it [IMPORT-REQUEST-SHAPE-6]', async () => {
    const employees = [...records(1, 9_999), R(10_000, { nickname: 'x' })];
    expect((await expectRejection(400, { employees })).errors).toMatchObject([{ pointer: '/employees/9999/nickname' }]);
  });

  it('lists the first 100 field errors and counts all of them [ERRORS-SHAPE-2]', async () => {
    const employees = Array.from({ length: 250 }, (_, n) => R(n, { department: 'x' }));
    const problem = await expectRejection(400, { employees });
    expect(problem.errors).toHaveLength(100);
    expect(problem.errors.at(99)).toMatchObject({ pointer: '/employees/99/department' });
    expect(problem).toMatchObject({ errors_total: 250 });
  });

  it('never repeats a value of the body', async () => {
    const { detail, errors } = await expectRejection(400, { employees: [R(1, { role: 5, lastname: ['Secretname'] })] });
    expect(JSON.stringify([detail, errors])).not.toMatch(/Secretname|e1@x\.io/);
  });

  it('rejects bytes that are not UTF-8 [IMPORT-REQUEST-JSON-1]', async () => {
    const [before, after] = rawR1(',"role":"?"').split('?', 2);
    await expectRejection(400, Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]));
  });

  it('rejects a plain body that is called gzip [IMPORT-REQUEST-ENCODING-1]', async () => {
    await expectRejection(400, { employees: [R(1)] }, { 'content-encoding': 'gzip' });
  });

  it('rejects gzip that breaks off [IMPORT-REQUEST-ENCODING-1]', async () => {
    const whole = gzipSync(JSON.stringify({ employees: records(1, 100) }));
    await expectRejection(400, whole.subarray(0, whole.length - 10), { 'content-encoding': 'gzip' });
  });

  it('rejects an array that is nested 100,000 deep, and lives on [IMPORT-REQUEST-JSON-3]', async () => {
    await expectRejection(400, rawR1(`,"attributes":${'['.repeat(100_000)}${']'.repeat(100_000)}`));
    expect(await api.get('/v1/employees', account.readKey)).toMatchObject({ status: 200 });
  });
});

describe('413', () => {
  it('rejects 256 MiB in a body of 255 KiB of gzip [IMPORT-REQUEST-SIZE-1]', async () => {
    const bomb = await compress(256, Buffer.alloc(1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(300 * 1024);
    await expectRejection(413, bomb, { 'content-encoding': 'gzip' });
  });
});

describe('415', () => {
  it.each(['br', 'deflate', 'gzip, gzip', 'x-gzip', 'zstd'])(
    'rejects Content-Encoding: %s [IMPORT-REQUEST-ENCODING-1]',
    async (encoding) => {
      await expectRejection(415, { employees: [R(1)] }, { 'content-encoding': encoding });
    },
  );

  it('rejects Content-Type: text/plain [IMPORT-REQUEST-ENCODING-2]', async () => {
    await expectRejection(415, { employees: [R(1)] }, { 'content-type': 'text/plain' });
  });
});

describe('202', () => {
  it('accepts a valid snapshot after all of these [IMPORT-REQUEST-SHAPE-6]', async () => {
    expect(await importAndWait(account, [R(1)])).toMatchObject({ state: 'applied', counts: { created: 1 } });
  });
});

async function compress(times: number, block: Buffer): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const compressed = buffer(gzip);
  for (let i = 0; i < times; i++) if (!gzip.write(block)) await once(gzip, 'drain');
  gzip.end();
  return compressed;
}
