import type { Employee, EmployeeEdit, Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { openIntake } from '../support/facts.ts';
import { shareStack } from '../support/file-stack.ts';
import { seededRandom, shuffled } from '../support/random.ts';
import { R, records } from '../support/records.ts';

// Employee facts and edits from the bus, seen through GET /v1/employees.
const stack = await shareStack();
const { api, db, operator, importAndWait, listEmployees } = stack;
const { publishFacts } = await openIntake(stack.stack);

const employee = (id: number, more: Partial<Employee> = {}, revision = 1): Fact => ({
  revision,
  line: id,
  employee: { id, email: `p${id}@x.io`, is_deleted: false, created_via: 'file', attributes: [], ...more },
});

const edit = (reference: { id: number } | { import_id: string }, more: Partial<EmployeeEdit>, revision = 1): Fact => ({
  revision,
  line: 0,
  employee_edit: { employee: reference, attributes: [], cleared: [], ...more },
});

describe('facts about employees', () => {
  it('are the same to readers in any order, shuffled and with a third of them repeated', async () => {
    const random = seededRandom(11);
    const any = (most: number): number => 1 + Math.floor(random() * most);
    const attributes = (): { name: string; value: string }[] => [{ name: `A${any(4)}`, value: `V${any(5)}` }];
    const wholes = Array.from({ length: 300 }, () =>
      employee(any(150), { attributes: attributes(), role: `R${any(3)}` }, any(4)),
    );
    const edits = Array.from({ length: 100 }, () =>
      edit({ id: any(160) }, { lastname: `L${any(9)}`, attributes: attributes() }, any(4)),
    );
    const facts = [...wholes, ...edits];
    const answers: string[] = [];
    for (const batch of [1_000, 37]) {
      const own = await operator.createAccount();
      const repeated = facts.filter(() => random() < 0.3);
      await publishFacts(own.accountId, 'employee', shuffled([...facts, ...repeated], random), { batch });
      answers.push(JSON.stringify((await api.get('/v1/employees?limit=1000', own.readKey)).body));
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]).toContain('"A4"');
  });

  it('change an employee of the import API, and the next import sees it [IMPORT-VALUES-2]', async () => {
    const own = await operator.createAccount();
    await importAndWait(own, records(1, 2));
    await publishFacts(own.accountId, 'employee', [edit({ import_id: 'E1' }, { lastname: 'Edited', role: 'Coach' })]);
    expect((await listEmployees(own)).employees[0]).toMatchObject({ lastname: 'Edited', role: 'Coach' });
    expect(await importAndWait(own, records(1, 2))).toMatchObject({ counts: { updated: 1 } });
    expect((await listEmployees(own)).employees[0]).toMatchObject({ lastname: 'L1', role: 'Coach' });
  });

  it('wait for the employee whom an import brings', async () => {
    const own = await operator.createAccount();
    await publishFacts(own.accountId, 'employee', [edit({ import_id: 'E2' }, { role: 'Coach' })]);
    await importAndWait(own, records(1, 2));
    await expect.poll(() => listEmployees(own)).toMatchObject({ employees: [{}, { role: 'Coach' }] });
  });

  it('are dead letters when another employee has the address, and do not delay other facts', async () => {
    const own = await operator.createAccount();
    await importAndWait(own, [R(1)]);
    await publishFacts(own.accountId, 'employee', [employee(1, { email: 'E1@x.io' }), employee(2)], { source: 'a file' });
    expect((await listEmployees(own)).employees.map(({ email }) => email).sort()).toEqual(['e1@x.io', 'p2@x.io']);
    const { rows } = await db.query('select kind, source, reason from imports.dead_letter where account_id = $1', [
      own.accountId,
    ]);
    expect(rows).toEqual([{ kind: 'employee', source: 'a file', reason: 'email_taken' }]);
  });

  it('are all dead letters, and do not block later facts, when a thousand addresses are rejected', async () => {
    const own = await operator.createAccount();
    await importAndWait(own, [R(1)]);
    const rejected = Array.from({ length: 1_005 }, (_, n) => employee(n + 1, { email: 'e1@x.io' }));
    await publishFacts(own.accountId, 'employee', rejected);
    await publishFacts(own.accountId, 'employee', [edit({ import_id: 'E2' }, { role: 'Coach' })]);
    await importAndWait(own, records(1, 2));
    await expect.poll(() => listEmployees(own)).toMatchObject({ employees: [{}, { role: 'Coach' }] });
    const { rows } = await db.query('select count(*) as letters from imports.dead_letter where account_id = $1', [own.accountId]);
    expect(rows).toEqual([{ letters: '1005' }]);
  });
});
