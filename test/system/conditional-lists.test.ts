import type { Employee, EmployeeEdit, Fact } from '@survey/proto/intake/v1/intake.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { expectProblem, type RequestHeaders } from '../support/api.ts';
import { releaseAttributes, withdrawAttribute } from '../support/attributes.ts';
import { arrangeAttributes } from '../support/employees.ts';
import { assignment, cycle, initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';
import { surveyctlAt } from '../support/surveyctl.ts';

const { stack, api, db, operator, importAndWait, listEmployees } = await shareStack();
const { publishFacts } = await openIntake(stack);
const surveyctl = surveyctlAt(stack);

const employee = (id: number, more: Partial<Employee>, revision: number): Fact => ({
  revision,
  line: id,
  employee: { id, email: `p${id}@x.io`, is_deleted: false, created_via: 'file', attributes: [], ...more },
});
const edit = (more: Partial<EmployeeEdit>, revision: number): Fact => ({
  revision,
  line: 0,
  employee_edit: { employee: { import_id: 'E1' }, attributes: [], cleared: [], ...more },
});

describe('a conditional request', () => {
  it('gets 304 for every form of its ETag, and nothing else [LISTS-ETAG-1]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'survey', [survey(1)]);
    const read = (headers: RequestHeaders) => api.get('/v1/surveys', own.readKey, { 'accept-encoding': 'identity', ...headers });
    const first = await read({});
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [etag, `W/${etag}`, `"other" , ${etag}`, `"a,b",W/"c",${etag}`, '*', ' * ']) {
      const answer = await read({ 'if-none-match': known });
      expect([known, answer.status, answer.body]).toEqual([known, 304, '']);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(answer.headers.get('vary')).toBe('Accept-Encoding');
      expect(answer.headers.get('content-type')).toBeNull();
    }
    for (const known of ['', '"other"', etag.slice(1, -1), `w/${etag}`, `"*", *`, `${etag}x`]) {
      expect([known, (await read({ 'if-none-match': known })).status]).toEqual([known, 200]);
    }
    // Another representation, query or account has another validator.
    expect((await read({ 'if-none-match': etag, 'accept-encoding': 'gzip' })).status).toBe(200);
    for (const path of ['/v1/surveys?limit=1', '/v1/surveys?offset=1', '/v1/surveys?is_archived=false'])
      expect((await api.get(path, own.readKey, { 'if-none-match': etag })).status).toBe(200);
    const other = await operator.createAccount();
    expect((await api.get('/v1/surveys', other.readKey, { 'if-none-match': etag })).status).toBe(200);
    const head = await api.send('HEAD', '/v1/surveys', { 'x-api-key': own.readKey, 'if-none-match': '*' });
    expect(head.status).toBe(304);
  });

  it('gets 412 when If-Match does not contain its ETag, before If-None-Match counts [LISTS-ETAG-1]', async () => {
    const own = await operator.createAccount();
    const read = (ifMatch: string) =>
      api.get('/v1/surveys', own.readKey, { 'accept-encoding': 'identity', 'if-match': ifMatch, 'if-none-match': '"other"' });
    const etag = (await read('*')).headers.get('etag') ?? '';
    for (const known of [etag, `"other", ${etag}`, ' * ']) expect([known, (await read(known)).status]).toEqual([known, 200]);
    for (const known of ['', '"other"', `W/${etag}`, etag.slice(1, -1)]) expectProblem(await read(known), 412);
    const both = { 'if-match': '"other"', 'if-none-match': '*' };
    expectProblem(await api.get('/v1/surveys', own.readKey, both), 412);
  });

  it('gets what it would get without the condition for scores, texts and unreleased options [LISTS-ETAG-2, ATTRIBUTES-RELEASE-2]', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'question', [question(1)]);
    await arrangeAttributes(db, own.accountId, { Country: ['DE'] });
    await releaseAttributes(db, own.accountId, [1]);
    const always = { 'if-none-match': '*' };
    const period = 'period_from=2024-01-01T00:00:00Z&period_to=2024-02-01T00:00:00Z';
    for (const path of [`/v1/scores?question_ids=1&${period}`, '/v1/text_responses']) {
      const answer = await api.get(path, own.readKey, always);
      expect(answer.status).not.toBe(304);
      expect(answer.headers.get('etag')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('private, no-store');
    }
    expectProblem(await api.get('/v1/text_responses', own.readKey, { 'if-match': '"any"' }), 412);
    const options = '/v1/attributes/1/options';
    const etag = (await api.get(options, own.readKey)).headers.get('etag') ?? '';
    expect((await api.get(options, own.readKey, { 'if-none-match': etag })).status).toBe(304);
    await withdrawAttribute(db, own.accountId, 1);
    for (const known of [etag, '*']) {
      const answer = await api.get(options, own.readKey, { 'if-none-match': known });
      expectProblem(answer, 404);
      expect(answer.headers.get('etag')).toBeNull();
    }
  });

  it('has no ETag while pods of an earlier release may run, and another one afterwards [LISTS-ETAG-1]', async () => {
    const own = await operator.createAccount();
    const read = async () => (await api.get('/v1/questions', own.readKey)).headers.get('etag');
    const before = await read();
    try {
      await db.query(`update admin.list_rendering set id = gen_random_uuid(), validators_from = now() + interval '1 hour'`);
      expect(await read()).toBeNull();
      expect((await api.get('/v1/questions', own.readKey, { 'if-none-match': '*' })).status).toBe(200);
    } finally {
      await db.query('update admin.list_rendering set validators_from = now()');
    }
    expect(await read()).not.toBe(before);
  });
});

const PAGES = [
  ...['employees', 'surveys', 'survey_cycles', 'questions', 'survey_assignments', 'initiatives', 'attributes'].flatMap((list) =>
    ['', '?limit=1&offset=1', '?limit=0'].map((query) => `/v1/${list}${query}`),
  ),
  '/v1/surveys?is_archived=true',
  '/v1/survey_cycles?survey_id=1',
  '/v1/survey_assignments?survey_id=1',
  '/v1/initiatives?status=draft',
  '/v1/attributes/1/options',
];

interface Seen {
  readonly body: string;
  readonly etag: string;
}

/** Reads all pages, and compares each with what a client has that sends its last ETag. */
async function readPages({ readKey }: Account, before: ReadonlyMap<string, Seen>): Promise<Map<string, Seen>> {
  const now = new Map<string, Seen>();
  for (const path of PAGES) {
    const { status, body, headers } = await api.get(path, readKey);
    if (status === 404) continue;
    expect(status).toBe(200);
    const last = before.get(path);
    const page = { body: JSON.stringify(body), etag: headers.get('etag') ?? '' };
    expect(page.etag).toMatch(/^".+"$/);
    now.set(path, page);
    if (last === undefined) continue;
    const isSame = page.etag === last.etag;
    expect([path, isSame && page.body !== last.body]).toEqual([path, false]);
    if (path.includes('?')) continue;
    expect((await api.get(path, readKey, { 'if-none-match': last.etag })).status).toBe(isSame ? 304 : 200);
  }
  return now;
}

const FIRST = [R(1, { attributes: [{ name: 'Site', value: { name: 'Kiel' } }] }), ...records(2, 4)];

type Step = (account: Account, n: number) => Promise<unknown>;

// Every way in which a page can change, each at most once in a history. n is a new number.
const CHANGES: Readonly<Record<string, Step>> = {
  'an employee is renamed': (account, n) => importAndWait(account, [...FIRST, R(1000 + n)]),
  'the case of an address changes': (account) => importAndWait(account, [{ ...FIRST[0], email: 'E1@x.io' }, ...FIRST.slice(1)]),
  'an employee gets a new value': (account, n) =>
    importAndWait(account, [{ ...FIRST[0], attributes: [{ name: 'Site', value: { name: `S${n}` } }] }, ...FIRST.slice(1)]),
  'an employee is offboarded': async (account, n) => {
    await importAndWait(account, [...FIRST, R(n)]);
    await importAndWait(account, FIRST);
  },
  'a fact adds an employee': ({ accountId }, n) =>
    publishFacts(accountId, 'employee', [employee(n, { attributes: [{ name: `A${n}`, value: 'x' }] }, n)]),
  'a fact edits an employee': ({ accountId }, n) => publishFacts(accountId, 'employee', [edit({ role: `R${n}` }, n)]),
  'a survey is named': ({ accountId }, n) =>
    publishFacts(accountId, 'survey', [survey(1, { name: { en: `S${n}` }, is_archived: true }, n)]),
  'a survey names an employee': ({ accountId }, n) =>
    publishFacts(accountId, 'survey', [survey(3, { employees_with_access_to_results: [{ import_id: 'E1' }] }, n)]),
  'a survey moves to another time zone': ({ accountId }, n) =>
    publishFacts(accountId, 'survey', [survey(2, { timezone: 'Asia/Tokyo' }, n)]),
  'a cycle closes': ({ accountId }, n) =>
    publishFacts(accountId, 'cycle', [cycle(uuidOf(1), { closed_at: '2024-02-01T00:00:00Z' }, n)]),
  'a question is worded': ({ accountId }, n) => publishFacts(accountId, 'question', [question(1, { name: { en: `Q${n}` } }, n)]),
  'an assignment ends': ({ accountId }, n) =>
    publishFacts(accountId, 'assignment', [
      assignment(1, { employee: { import_id: 'E1' }, deleted_at: '2024-02-01T00:00:00Z' }, n),
    ]),
  'an assignment moves': ({ accountId }, n) =>
    publishFacts(accountId, 'assignment', [assignment(2, { employee: { import_id: 'E2' }, survey_id: 2 }, n)]),
  'an initiative is named': ({ accountId }, n) =>
    publishFacts(accountId, 'initiative', [
      initiative(uuidOf(9), { title: `I${n}`, survey_id: 1, question_ids: [1], assignee: { import_id: 'E1' } }, n),
    ]),
  'an attribute is released or withdrawn': async ({ accountId }) => {
    const { rowCount } = await db.query('select from admin.released_attribute where account_id = $1', [accountId]);
    if (rowCount === 0) await releaseAttributes(db, accountId, [1]);
    else await withdrawAttribute(db, accountId, 1);
  },
  'an employee is erased': async (account, n) => {
    await importAndWait(account, [...FIRST, R(n)]);
    const { employees } = await listEmployees(account);
    const id = employees.find(({ import_id }) => import_id === `E${n}`)?.id ?? 0;
    await publishFacts(account.accountId, 'assignment', [assignment(n, { employee: { id } }, n)]);
    await publishFacts(account.accountId, 'initiative', [initiative(uuidOf(n), { creator: { id } }, n)]);
    const args = ['--account', String(account.accountId), '--id', String(id), '--reason', 'asked'];
    expect(await surveyctl(['employee', 'erase', ...args])).toMatchObject({ exitCode: 0 });
  },
};

async function begin(): Promise<Account> {
  const account = await operator.createAccount({ threshold: '100' });
  await importAndWait(account, FIRST);
  await releaseAttributes(db, account.accountId, [1]);
  await publishFacts(account.accountId, 'survey', [survey(1), survey(2)]);
  await publishFacts(account.accountId, 'cycle', [cycle(uuidOf(1)), cycle(uuidOf(2), { survey_id: 2 })]);
  await publishFacts(account.accountId, 'assignment', [assignment(2, { employee: { import_id: 'E2' } })]);
  return account;
}

describe('a validator', () => {
  it(
    'is another one for every page that differs, after every change in any order [LISTS-ETAG-1]',
    { timeout: 180_000 },
    async () => {
      const names = Object.keys(CHANGES);
      const anyOrder = fc.shuffledSubarray(names, { minLength: names.length });
      const property = fc.asyncProperty(anyOrder, async (order) => {
        const account = await begin();
        let pages = await readPages(account, new Map());
        for (const [index, name] of order.entries()) {
          await CHANGES[name]?.(account, 50 + index);
          const after = await readPages(account, pages);
          const hasChanged = [...after].some(([path, { body }]) => body !== pages.get(path)?.body);
          expect([name, hasChanged]).toEqual([name, true]);
          pages = after;
        }
      });
      await fc.assert(property, { numRuns: 1 });
    },
  );

  it('remains after a snapshot and facts that change nothing [LISTS-ETAG-1]', async () => {
    const account = await begin();
    const facts = [survey(7, { import_id: 'S7' }, 3)];
    await publishFacts(account.accountId, 'survey', facts);
    await importAndWait(account, FIRST);
    const before = await readPages(account, new Map());
    expect(await importAndWait(account, FIRST)).toMatchObject({ counts: { unchanged: 4 } });
    await publishFacts(account.accountId, 'survey', facts);
    expect(await readPages(account, before)).toEqual(before);
  });
});
