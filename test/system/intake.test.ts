import { applyAssignments } from '@survey/export/facts/assignments.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import { openDatabase } from '@survey/postgres/open-database.ts';
import { toolOf } from '@survey/process/tool.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { applying } from '../support/apply-facts.ts';
import { arrangeEmployee } from '../support/employees.ts';
import { assignment, cycle, initiative, openIntake, question, survey, uuidOf } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { list } from '../support/list-conventions.ts';
import { seededRandom, shuffled } from '../support/random.ts';
import { records } from '../support/records.ts';

const stack = await startFileStack();
const { api, db, operator } = stack;
const { publishFacts } = await openIntake(stack.stack);

const LISTS = ['surveys', 'questions', 'survey_cycles', 'survey_assignments', 'initiatives'];
const answersOf = ({ readKey }: Account): Promise<string[]> =>
  Promise.all(LISTS.map(async (path) => JSON.stringify((await api.get(`/v1/${path}?limit=1000`, readKey)).body)));
const assignmentsOf = (own: Account, query = '') => list(stack, own, `/v1/survey_assignments${query}`, 'survey_assignments');

// The stored counts, and the expected ones.
const COUNTS = `
  select survey_id, level, block, row_count as count from export.assignment_block where account_id = $1 and row_count <> 0 order by 1, 2, 3`;
const COUNTED = `
  select s.survey_id, l.level, a.id >> l.bits as block, count(*)::int as count
  from export.assignment a, (values (1::smallint, 11), (2::smallint, 22)) as l (level, bits),
    lateral (values (0::bigint), (a.survey_id)) as s (survey_id)
  where a.account_id = $1 group by 1, 2, 3 order by 1, 2, 3`;

async function expectExactCounts({ accountId }: Account): Promise<void> {
  const [kept, counted] = await Promise.all([COUNTS, COUNTED].map((statement) => db.query(statement, [accountId])));
  expect(kept?.rows).toEqual(counted?.rows);
}

describe('the same facts', () => {
  const random = seededRandom(7);
  const any = (count: number): number => 1 + Math.floor(random() * count);
  const many = (count: number, make: (n: number) => Fact): Fact[] => Array.from({ length: count }, (_, n) => make(n));
  const time = (): string => new Date(Date.UTC(2024, 0, any(300), any(24))).toISOString();
  const employee = () => (random() < 0.5 ? { id: any(50) } : { import_id: `E${any(40)}` });
  // Several facts per object, some with equal revisions, whose employees and surveys come early,
  // late or never.
  const facts: Record<string, Fact[]> = {
    survey: many(60, () => survey(any(20), { created_at: time(), employees_with_access_to_results: [employee()] }, any(3))),
    question: many(100, () => question(any(40), { name: { en: String(random()) }, is_deleted: random() < 0.5 }, any(3))),
    cycle: many(60, () => cycle(uuidOf(any(30)), { survey_id: any(25), opened_at: time() }, any(3))),
    assignment: many(600, () =>
      assignment(any(200) * 1_500, { survey_id: any(5), employee: employee(), created_at: time() }, any(4)),
    ),
    initiative: many(100, () =>
      initiative(
        uuidOf(any(50)),
        { created_at: time(), survey_id: any(25), question_ids: [any(50)], assignee: employee() },
        any(3),
      ),
    ),
  };

  async function load(own: Account, order: (facts: readonly Fact[]) => Fact[], importAfter: number): Promise<void> {
    const messages = Object.entries(facts).flatMap(([kind, all]) => {
      const ordered = order(all);
      return Array.from({ length: Math.ceil(ordered.length / 37) }, (_, n) => ({
        kind,
        facts: ordered.slice(n * 37, n * 37 + 37),
      }));
    });
    const publish = (some: typeof messages) =>
      // The keys above are kinds.
      Promise.all(some.map((message) => publishFacts(own.accountId, message.kind as FactKind, message.facts)));
    await publish(messages.slice(0, importAfter));
    await stack.importAndWait(own, records(1, 30));
    await publish(messages.slice(importAfter));
  }

  it('end in byte-identical answers in order, shuffled, and with 30 % of them repeated and late', async () => {
    const accounts = await Promise.all([0, 1, 2].map(() => operator.createAccount()));
    const repeated = (all: readonly Fact[]): Fact[] => [...shuffled(all, random), ...all.filter(() => random() < 0.3)];
    const [inOrder, mixed, late] = accounts;
    if (inOrder === undefined || mixed === undefined || late === undefined) throw new Error('three accounts');
    await load(inOrder, (all) => [...all], 0);
    await load(mixed, (all) => shuffled(all, random), 12);
    await load(late, repeated, 1_000);
    let expected: string[] = [];
    // A busy machine responds with 503 now and then.
    await expect.poll(async () => (expected = await answersOf(inOrder)).filter((body) => body.includes('urn:'))).toEqual([]);
    await expect.poll(() => answersOf(mixed)).toEqual(expected);
    await expect.poll(() => answersOf(late)).toEqual(expected);
    expect((await assignmentsOf(inOrder)).totalCount).toBeGreaterThan(150);
    for (const own of accounts) await expectExactCounts(own);
  });
});

describe('assignments', () => {
  it('wait for the employee whom an import brings', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { import_id: 'E2' } }), assignment(2)]);
    expect(await assignmentsOf(own)).toMatchObject({ totalCount: 1, rows: [{ id: 2 }] });
    await stack.importAndWait(own, records(1, 2));
    const imported = { totalCount: 2, rows: [{ id: 1, employee_id: 1_000_000_001 }, { id: 2 }] };
    await expect.poll(() => assignmentsOf(own), { timeout: 1_500 }).toMatchObject(imported);
    expect((await db.query('select from export.deferred_fact where account_id = $1', [own.accountId])).rowCount).toBe(0);
  });

  it('find the employee without a notification', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { import_id: 'X' } })]);
    const id = await arrangeEmployee(db, own.accountId, { email: 'x@x.io', importId: 'X' });
    expect((await assignmentsOf(own)).totalCount).toBe(0);
    await db.query(`update imports.employee set created_via = 'import_api' where account_id = $1`, [own.accountId]);
    await expect.poll(() => assignmentsOf(own)).toMatchObject({ rows: [{ id: 1, employee_id: id }] });
  });

  it('are no longer deferred when a newer fact names an existing employee', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { import_id: 'E1' } }, 1)]);
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { id: 5 } }, 2)]);
    await publishFacts(own.accountId, 'assignment', [assignment(1, { employee: { import_id: 'E1' } }, 1)]);
    expect((await db.query('select from export.deferred_fact where account_id = $1', [own.accountId])).rowCount).toBe(0);
    await stack.importAndWait(own, records(1, 1));
    expect(await assignmentsOf(own)).toMatchObject({ rows: [{ id: 1, employee_id: 5 }] });
  });

  it('are counted exactly by batches at work at the same time', async () => {
    const own = await operator.createAccount();
    const random = seededRandom(11);
    const any = (count: number): number => 1 + Math.floor(random() * count);
    const context = toolOf('test');
    const pool = openDatabase({ url: stack.stack.databaseUrl, name: 'test' }, context);
    const batch = () => Array.from({ length: 40 }, () => assignment(any(300) * 700, { survey_id: any(4) }, any(5)));
    const apply = applying('assignment', applyAssignments);
    const lanes = Array.from({ length: 8 }, () => Array.from({ length: 8 }, batch));
    const work = async (lane: (typeof lanes)[number]): Promise<void> => {
      for (const facts of lane) await apply(pool, own.accountId, facts);
    };
    await Promise.all(lanes.map(work));
    await context.resources.disposeAsync();
    await expectExactCounts(own);
    const { totalCount, rows } = await assignmentsOf(own, '?limit=1000');
    expect(rows).toHaveLength(totalCount);
  });
});
