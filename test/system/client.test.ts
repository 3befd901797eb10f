import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { SurveyClient } from '@survey/client';
import type { EmployeeRecord } from '@survey/client';
import { describe, expect, it } from 'vitest';
import type { FactKind } from '@survey/bus/streams.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import type { Account } from '../support/accounts.ts';
import { assignment, cycle, initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { C1, textResponses } from '../support/text-fixture.ts';

// clients/typescript with the running service; its unit tests cover retries.
const { stack, db, operator } = await shareStack();
const intake = await openIntake(stack);
const baseUrl = `http://${stack.services.gateway.address}`;
const clientOf = (apiKey: string, fetch = globalThis.fetch) =>
  new SurveyClient({ baseUrl, apiKey, fetch, retries: { firstWaitMs: 1 } });
const person = (n: number): EmployeeRecord => ({ import_id: `E${n}`, email: `e${n}@x.io`, firstname: 'F', lastname: String(n) });
const people = (count: number): EmployeeRecord[] => Array.from({ length: count }, (_, index) => person(index + 1));

async function importAll({ accountId, writeKey }: Account, employees: readonly EmployeeRecord[]): Promise<void> {
  const { import_uuid } = await clientOf(writeKey).importEmployees(employees);
  expect(await operator.importEnded(accountId, import_uuid)).toMatchObject({ state: 'applied' });
}

async function idsOf(account: Account, pageSize: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of clientOf(account.readKey).employees({ pageSize })) ids.push(id);
  return ids;
}

describe('a list', () => {
  it('returns each existing employee once while imports add others', async () => {
    const account = await operator.createAccount();
    await importAll(account, people(150));
    const before = await idsOf(account, 1000);
    let reading = true;
    const writer = (async () => {
      for (let count = 160; reading; count += 10) await importAll(account, people(count));
    })();
    for (let n = 0; n < 3; n++) {
      const ids = await idsOf(account, 15);
      expect(ids.filter((id) => before.includes(id))).toEqual(before);
      expect(new Set(ids).size).toBe(ids.length);
    }
    reading = false;
    await writer;
    expect((await idsOf(account, 1000)).length).toBeGreaterThan(before.length);
  });
});

// Even numbers at first, odd ones later: before, between and after the others.
const LISTS: readonly Listed[] = [
  { kind: 'survey', fact: (n) => survey(n), idsIn: (client) => client.surveys({ pageSize: 7 }), idOf: (n) => n },
  { kind: 'question', fact: (n) => question(n), idsIn: (client) => client.questions({ pageSize: 7 }), idOf: (n) => n },
  {
    kind: 'assignment',
    fact: (n) => assignment(n),
    idsIn: (client) => client.surveyAssignments({ pageSize: 7 }),
    idOf: (n) => n,
  },
  {
    kind: 'cycle',
    fact: (n) => cycle(uuidOf(n), { opened_at: `20${20 + (n % 40)}-01-01T00:00:00Z` }),
    idsIn: (client) => client.surveyCycles({ pageSize: 7 }),
    idOf: uuidOf,
  },
  {
    kind: 'initiative',
    fact: (n) => initiative(uuidOf(n), { created_at: `20${20 + (n % 40)}-01-01T00:00:00Z` }),
    idsIn: (client) => client.initiatives({ pageSize: 7, status: 'draft' }),
    idOf: uuidOf,
  },
];

interface Listed {
  readonly kind: FactKind;
  readonly fact: (n: number) => Fact;
  readonly idsIn: (client: SurveyClient) => AsyncIterable<{ id: unknown } | { uuid: unknown }>;
  readonly idOf: (n: number) => unknown;
}

describe.each(LISTS)('the list of every $kind', ({ kind, fact, idsIn, idOf }) => {
  it('returns each existing object once while others are written', async () => {
    const account = await operator.createAccount();
    const { accountId, readKey } = account;
    if (kind === 'cycle') await intake.publishFacts(accountId, 'survey', [survey(1)]);
    const before = Array.from({ length: 100 }, (_, index) => 2 * index + 2);
    await intake.publishFacts(accountId, kind, before.map(fact));
    let written = 0;
    const write = async () => intake.publishFacts(accountId, kind, [fact(2 * written++ + 1), fact(2 * written++ + 1)]);
    const ids: unknown[] = [];
    for await (const row of idsIn(clientOf(readKey))) {
      ids.push('uuid' in row ? row.uuid : row.id);
      if (ids.length % 10 === 0) await write();
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(before.map(idOf)));
    expect(written).toBeGreaterThan(10);
  });
});

describe('an import', () => {
  it('streams any number of employees', async () => {
    const account = await operator.createAccount();
    const { import_uuid } = await clientOf(account.writeKey).importEmployees(async function* () {
      for (let n = 1; n <= 20_000; n++) yield person(n);
    });
    expect(await operator.importEnded(account.accountId, import_uuid)).toMatchObject({
      state: 'applied',
      counts: { created: 20_000 },
    });
  });

  it('whose answer is lost is sent again, and happens once', async () => {
    const account = await operator.createAccount();
    const answers: unknown[] = [];
    const client = clientOf(account.writeKey, async (...request) => {
      const response = await fetch(...request);
      answers.push(await response.clone().json());
      if (answers.length === 1) throw new TypeError('terminated');
      return response;
    });
    const accepted = await client.importEmployees(people(3));
    expect(accepted).toEqual({ import_uuid: expect.any(String), replayed: true });
    expect(answers).toEqual([{ import_uuid: accepted.import_uuid }, { import_uuid: accepted.import_uuid }]);
    const { rows } = await db.query('select from imports.import where account_id = $1', [account.accountId]);
    expect(rows).toHaveLength(1);
  });

  it('of a source that breaks off changes nothing', async () => {
    const account = await operator.createAccount();
    await importAll(account, people(5));
    const half = async function* () {
      yield* people(50_000);
      throw new Error('the file ends here');
    };
    await expect(clientOf(account.writeKey).importEmployees(half())).rejects.toThrow('the file ends here');
    expect(await idsOf(account, 1000)).toHaveLength(5);
    await importAll(account, people(6));
  });

  it('that is rejected while its body is being sent ends with what the service says', async () => {
    const { readKey } = await operator.createAccount();
    const endless = async function* () {
      for (let n = 1; n < 300_000; n++) yield person(n);
    };
    await expect(clientOf(readKey).importEmployees(endless)).rejects.toMatchObject({ status: 403, problem: { status: 403 } });
  });
});

describe('free-text answers', () => {
  it('come page by page, in the order of the service, and filters are lists', async () => {
    const { accountId, readKey } = await operator.createAccount();
    await intake.publishFacts(accountId, 'survey', [survey(1)]);
    await intake.publishFacts(accountId, 'question', [question(15)]);
    await intake.publishFacts(accountId, 'response', textResponses(50));
    const client = clientOf(readKey);
    const { rows } = await client.textResponses().page(1000);
    const seen = [];
    for await (const answer of client.textResponses({
      survey_ids: [1, 2],
      survey_cycle_ids: [C1],
      question_ids: [15],
      pageSize: 7,
    })) {
      seen.push(answer);
    }
    expect(seen).toEqual(rows);
    expect(seen).toHaveLength(50);
    expect(await client.textResponses({ question_ids: [16] }).page()).toEqual({ total_count: 0, rows: [] });
    await expect(client.textResponses({ question_ids: [] }).page()).rejects.toMatchObject({ status: 400 });
  });
});

describe('an error', () => {
  it('says what the service says', async () => {
    const page = clientOf('no-such-key').employees().page();
    await expect(page).rejects.toMatchObject({
      name: 'AuthenticationError',
      status: 401,
      message: expect.stringContaining('X-Api-Key'),
      problem: { type: 'urn:survey:problem:unauthorized', status: 401, instance: expect.any(String) },
      requestId: expect.any(String),
    });
  });
});

describe('the README of clients/typescript', () => {
  it('shows programs that run', async () => {
    const account = await operator.createAccount();
    const readme = await readFile(new URL('../../clients/typescript/README.md', import.meta.url), 'utf8');
    const programs = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, program = '']) => program);
    expect(programs.length).toBeGreaterThan(1);
    const env = { ...process.env, SURVEY_URL: baseUrl, SURVEY_READ_KEY: account.readKey, SURVEY_WRITE_KEY: account.writeKey };
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    for (const program of programs)
      await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', program], { cwd, env });
  });
});
