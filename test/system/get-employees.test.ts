import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { arrangeAttributes, arrangeEmployee, arrangeEmployees } from '../support/employees.ts';
import { shareStack, type Employee } from '../support/file-stack.ts';

const { api, db, operator, listEmployees } = await shareStack();
// 250 employees: Person 1 … Person 250.
const account = await operator.createAccount();
await arrangeEmployees(db, account.accountId, 250);

const namesOf = (employees: readonly Employee[]): (string | null)[] => employees.map(({ lastname }) => lastname);

describe('200', () => {
  it('returns 100 employees when the query names no limit [LISTS-LIMIT-1]', async () => {
    const page = await listEmployees(account, '');
    expect(page.total_count).toBe(250);
    expect(page.employees).toHaveLength(100);
  });

  it('returns an empty page with the true total_count for limit=0 [LISTS-LIMIT-1]', async () => {
    expect(await listEmployees(account, '?limit=0')).toEqual({ total_count: 250, employees: [] });
  });

  it('reads leading zeros as decimal [LISTS-LIMIT-2]', async () => {
    expect((await listEmployees(account, '?limit=010')).employees).toHaveLength(10);
  });

  it.each(['250', '2147483648', '9007199254740991'])('returns an empty page for offset=%s [LISTS-OFFSET-1]', async (offset) => {
    expect(await listEmployees(account, `?offset=${offset}`)).toEqual({ total_count: 250, employees: [] });
  });

  it('returns every employee once to a client that raises offset by limit [LISTS-PAGING-1]', async () => {
    const pages = await Promise.all([0, 100, 200].map((offset) => listEmployees(account, `?offset=${offset}`)));
    expect(pages.map(({ employees }) => employees.length)).toEqual([100, 100, 50]);
    const names = namesOf(pages.flatMap(({ employees }) => employees));
    expect(names).toEqual(Array.from({ length: 250 }, (_, index) => String(index + 1)));
  });

  it('is in the order of ids, whatever the order of creation [EMPLOYEES-LIST-1]', async () => {
    const own = await operator.createAccount();
    for (const id of [undefined, 7_000_000, 5, undefined, 3_000]) {
      await arrangeEmployee(db, own.accountId, { email: `e${id ?? Math.random()}@x.io`, ...(id !== undefined && { id }) });
    }
    const ids = (await listEmployees(own)).employees.map(({ id }) => id);
    expect(ids).toEqual([5, 3_000, 7_000_000, 1_000_000_000, 1_000_000_003]);
    for (const offset of [0, 1, 2, 3, 4, 5]) {
      const page = await listEmployees(own, `?limit=2&offset=${offset}`);
      expect(page.employees.map(({ id }) => id)).toEqual(ids.slice(offset, offset + 2));
    }
  });

  it('returns the last page in full when it ends exactly at total_count [LISTS-PAGING-1]', async () => {
    const page = await listEmployees(account, '?offset=150&limit=100');
    expect(page.employees).toHaveLength(100);
    expect(namesOf(page.employees).at(-1)).toBe('250');
  });

  it('has exactly total_count and employees, and the fields of an employee in the order of the contract [LISTS-ENVELOPE-1]', async () => {
    const { accountId, readKey } = await operator.createAccount();
    const [sales] = await arrangeAttributes(db, accountId, { Department: ['Sales'] });
    await arrangeEmployee(db, accountId, { email: 'a@x.io', optionIds: [sales ?? 0] });
    const text = JSON.stringify((await api.get('/v1/employees', readKey)).body);
    expect(text).toBe(
      '{"total_count":1,"employees":[{"id":1000000000,"import_id":null,"email":"a@x.io","firstname":null,"lastname":null,"role":null,' +
        '"is_deleted":false,"attributes":[{"id":1,"name":"Department","attribute_values":[{"id":1,"name":"Sales"}]}]}]}',
    );
  });

  it('takes total_count and page from one snapshot while employees are added [LISTS-ENVELOPE-3]', async () => {
    const growing = await operator.createAccount();
    let adding = true;
    const writer = (async () => {
      for (let n = 0; adding; n++) await arrangeEmployee(db, growing.accountId, { email: `w${n}@x.io` });
    })();
    const pages = [];
    for (let n = 0; n < 40; n++) pages.push(await listEmployees(growing));
    adding = false;
    await writer;
    expect(pages.at(-1)?.total_count).toBeGreaterThan(pages[0]?.total_count ?? 0);
    for (const { total_count, employees } of pages) expect(employees).toHaveLength(Math.min(total_count, 1_000));
  });

  it('returns 1,000 employees with 60 attributes each on one page [LISTS-LIMIT-3]', async () => {
    const wide = await operator.createAccount();
    const names = Array.from({ length: 60 }, (_, index) => `Attribute number ${index + 1} of sixty`);
    const optionIds = await arrangeAttributes(
      db,
      wide.accountId,
      Object.fromEntries(names.map((name) => [name, [`The option of ${name}`]])),
    );
    await db.query('delete from imports.account_state where account_id = $1', [wide.accountId]);
    await arrangeEmployees(db, wide.accountId, 1000, optionIds);
    // Uncompressed, the page exceeds gRPC's default message size.
    const plain = await api.get('/v1/employees?limit=1000', wide.readKey, { 'accept-encoding': 'identity' });
    expect(Number(plain.headers.get('content-length'))).toBeGreaterThan(4_194_304);
    const { employees } = await listEmployees(wide, '?limit=1000');
    expect(plain).toMatchObject({ status: 200, body: { employees } });
    expect(employees).toHaveLength(1000);
    expect(employees.at(-1)?.attributes.map(({ name }) => name)).toEqual(names);
  });

  it('passes a role through that it does not know, and none as null [LISTS-ENUMS-1]', async () => {
    const { accountId, ...keys } = await operator.createAccount();
    await arrangeEmployee(db, accountId, { email: 'coach@x.io', role: 'Coach' });
    await arrangeEmployee(db, accountId, { email: 'none@x.io', role: null });
    const { employees } = await listEmployees({ accountId, ...keys });
    expect(employees.map(({ role }) => role)).toEqual(['Coach', null]);
  });

  it('lists deleted employees with is_deleted true [IMPORT-IDENTITY-3]', async () => {
    const own = await operator.createAccount();
    await arrangeEmployee(db, own.accountId, { email: 'gone@x.io', isDeleted: true, importId: 'G1' });
    const page = await listEmployees(own);
    expect(page.total_count).toBe(1);
    expect(page.employees).toMatchObject([{ email: 'gone@x.io', import_id: 'G1', is_deleted: true }]);
  });

  it('groups several options of one attribute in one entry', async () => {
    const own = await operator.createAccount();
    const optionIds = await arrangeAttributes(db, own.accountId, { Country: ['DE', 'FR'], Department: ['Sales'] });
    await arrangeEmployee(db, own.accountId, { email: 'a@x.io', optionIds });
    const { employees } = await listEmployees(own);
    const [country, department] = employees[0]?.attributes ?? [];
    expect(country).toMatchObject({ name: 'Country', attribute_values: [{ name: 'DE' }, { name: 'FR' }] });
    expect(department).toMatchObject({ name: 'Department', attribute_values: [{ name: 'Sales' }] });
  });

  it('returns any text as it was stored', async () => {
    const own = await operator.createAccount();
    const firstname = '"\\/\u0001\u001f\u2028 O’Brien 😀 שלום';
    await arrangeEmployee(db, own.accountId, { email: 'a@x.io', firstname });
    expect((await listEmployees(own)).employees[0]?.firstname).toBe(firstname);
  });

  it('shows a renamed attribute on the next call', async () => {
    const own = await operator.createAccount();
    const optionIds = await arrangeAttributes(db, own.accountId, { Dept: ['Sales'] });
    await arrangeEmployee(db, own.accountId, { email: 'a@x.io', optionIds });
    await listEmployees(own);
    await db.query(`update imports.attribute set name = 'Department' where account_id = $1`, [own.accountId]);
    await db.query('update imports.account_state set dictionary_version = dictionary_version + 1 where account_id = $1', [
      own.accountId,
    ]);
    expect((await listEmployees(own)).employees[0]?.attributes[0]?.name).toBe('Department');
  });

  it('compresses for a client that takes gzip, and gives the same answer to one that does not', async () => {
    const compressed = await api.get('/v1/employees', account.readKey, { 'accept-encoding': 'gzip' });
    const plain = await api.get('/v1/employees', account.readKey, { 'accept-encoding': 'identity' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.body).toEqual(plain.body);
  });

  it('finds the key whatever the case of the header [AUTH-KEY-1]', async () => {
    expect(await api.get('/v1/employees', undefined, { 'X-API-KEY': account.readKey })).toMatchObject({ status: 200 });
  });

  it('takes the write key for reading [AUTH-SCOPE-2]', async () => {
    expect(await api.get('/v1/employees', account.writeKey)).toMatchObject({ status: 200 });
  });

  it('shows nothing of another account [AUTH-TENANCY-1]', async () => {
    const other = await operator.createAccount();
    expect(await listEmployees(other)).toEqual({ total_count: 0, employees: [] });
  });
});

describe('400', () => {
  it.each([
    ['LISTS-LIMIT-1', 'limit=1001'],
    ['LISTS-LIMIT-1', 'limit=-1'],
    ['LISTS-LIMIT-2', 'limit=abc'],
    ['LISTS-LIMIT-2', 'limit='],
    ['LISTS-LIMIT-2', 'limit=10.5'],
    ['LISTS-LIMIT-2', 'limit=1e2'],
    ['LISTS-LIMIT-2', 'limit=0x10'],
    ['LISTS-LIMIT-2', 'limit=5.0'],
    ['LISTS-LIMIT-2', 'limit=%2010'],
    ['LISTS-LIMIT-2', 'limit=+5'],
    ['LISTS-LIMIT-2', 'limit=１０'],
    ['LISTS-LIMIT-2', 'limit=1&limit=2'],
    ['ERRORS-QUERY-1', 'limit[]=5'],
    ['LISTS-OFFSET-1', 'offset=-1'],
    ['LISTS-OFFSET-1', 'offset=x'],
    ['LISTS-OFFSET-1', 'offset='],
    ['LISTS-OFFSET-1', 'offset=99999999999999999999'],
    ['ERRORS-QUERY-1', 'limt=5'],
    ['ERRORS-QUERY-1', 'survey_id=1'],
  ])('rejects $1 and names the parameter [$0]', async (_id, query) => {
    const { detail, errors } = expectProblem(await api.get(`/v1/employees?${query}`, account.readKey), 400);
    const name = query.slice(0, query.indexOf('='));
    expect(detail).toContain(name);
    expect(errors).toContainEqual(expect.objectContaining({ parameter: name }));
  });

  it('answers a malformed path with a problem document [ERRORS-SHAPE-1]', async () => {
    expectProblem(await api.get('/v1/employees?limit=%FF', account.readKey), 400);
  });
});

describe('401', () => {
  const expectRejection = async (headers: Record<string, string>): Promise<string> =>
    expectProblem(await api.send('GET', '/v1/employees', headers), 401).detail;

  it('rejects a request without a key [AUTH-KEY-1]', () => expectRejection({}));
  it('rejects an empty key [AUTH-KEY-1]', () => expectRejection({ 'x-api-key': '' }));
  it('rejects a key of three spaces [AUTH-KEY-1]', () => expectRejection({ 'x-api-key': '   ' }));

  it('rejects an unknown key exactly as a missing one [AUTH-KEY-1]', async () => {
    expect(await expectRejection({ 'x-api-key': unknownKey(account.readKey) })).toBe(await expectRejection({}));
    expect(await expectRejection({ 'x-api-key': 'nonsense' })).toBe(await expectRejection({}));
  });

  it('does not look for the key anywhere but in the header [AUTH-KEY-1]', async () => {
    await expectRejection({ authorization: `Bearer ${account.readKey}` });
    expectProblem(await api.send('GET', `/v1/employees?api_key=${account.readKey}`, {}), 401);
  });

  it('rejects a request without a key before it says which paths exist [ERRORS-ROUTING-1]', async () => {
    expectProblem(await api.get('/v1/nope'), 401);
  });
});

describe('404', () => {
  it('answers a path that does not exist with a problem document [ERRORS-ROUTING-1]', async () => {
    expectProblem(await api.get('/v1/nope', account.readKey), 404);
    expectProblem(await api.get('/v1/employees/', account.readKey), 404);
  });
});

describe('405', () => {
  it('names the methods that are allowed [ERRORS-ROUTING-1]', async () => {
    const answer = await api.post('/v1/employees', {}, account.writeKey);
    expectProblem(answer, 405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('431', () => {
  it('answers headers that are too large with a problem document [ERRORS-SHAPE-1]', async () => {
    expectProblem(await api.get('/v1/employees', account.readKey, { 'x-large': 'x'.repeat(40_000) }), 431);
  });
});

// One character changed in the middle: well-formed, but unknown.
function unknownKey(key: string): string {
  const middle = key.length / 2;
  return key.slice(0, middle) + (key.at(middle) === 'A' ? 'B' : 'A') + key.slice(middle + 1);
}
