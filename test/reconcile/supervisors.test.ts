import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import { newWorkforce, R, type Workforce } from './workforce.ts';

// No endpoint shows supervisors: docs/rules/import-supervisors.md.
const database = await openReconcilerDatabase();

const workforce = (...first: Parameters<typeof newWorkforce>[1] & object): Promise<Workforce> => newWorkforce(database, first);
const idOf = async ({ person }: Workforce, importId: string): Promise<number> => (await person(importId)).id;
const bossOf = async ({ person }: Workforce, importId: string): Promise<number | null> => (await person(importId)).supervisor;

function fileEmployee(id: number, importId: string, isDeleted = false): Fact {
  const who = { id, email: `file${id}@x.io`, created_via: 'file', import_id: importId, is_deleted: isDeleted, attributes: [] };
  return { revision: isDeleted ? 2 : 1, line: 0, employee: who };
}

describe('reports_to_id', () => {
  it('finds a supervisor who comes later in the list and is new [IMPORT-SUPERVISORS-1]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2));
    expect(await bossOf(people, 'E1')).toBe(await idOf(people, 'E2'));
  });

  it('clears the supervisor for an unknown reports_to_id, and warns [IMPORT-SUPERVISORS-2]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2));
    const outcome = await people.import([R(1, { reports_to_id: 'NOPE' }), R(2)]);
    expect(await bossOf(people, 'E1')).toBeNull();
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_unknown /employees/0/reports_to_id']);
  });

  it('clears the supervisor when an employee reports to themselves, and warns [IMPORT-SUPERVISORS-3]', async () => {
    const people = await workforce(R(1));
    const outcome = await people.import([R(1, { reports_to_id: 'E1' })]);
    expect(await bossOf(people, 'E1')).toBeNull();
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_is_self /employees/0/reports_to_id']);
  });

  it('stores a cycle, and warns about every employee on it in every import [IMPORT-SUPERVISORS-4]', async () => {
    const circle = [
      R(1, { reports_to_id: 'E2' }),
      R(2, { reports_to_id: 'E3' }),
      R(3, { reports_to_id: 'E1' }),
      R(4, { reports_to_id: 'E1' }),
    ];
    const people = await workforce(R(1));
    for (let round = 0; round < 2; round++) {
      const outcome = await people.import(circle);
      const said = [0, 1, 2, 3].map((index) => people.warnings(outcome, index));
      expect(said).toEqual([...[0, 1, 2].map((index) => [`supervisor_cycle /employees/${index}/reports_to_id`]), []]);
    }
    expect(await bossOf(people, 'E3')).toBe(await idOf(people, 'E1'));
  });

  it('warns about a cycle also when their own record is unchanged [IMPORT-SUPERVISORS-4]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2));
    const outcome = await people.import([R(1, { reports_to_id: 'E2' }), R(2, { reports_to_id: 'E1' })]);
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_cycle /employees/0/reports_to_id']);
    expect(outcome.records).toMatchObject([{ outcome: 'unchanged' }, { outcome: 'updated' }]);
  });

  it('finds a supervisor whose own record is skipped [IMPORT-SUPERVISORS-1]', async () => {
    const people = await workforce(R(2));
    await people.import([R(1, { reports_to_id: 'E2' }), R(2, { role: 'Boss' })]);
    expect(await bossOf(people, 'E1')).toBe(await idOf(people, 'E2'));
  });

  it('clears an offboarded supervisor, whether or not the record names them again [IMPORT-SUPERVISORS-5]', async () => {
    const reports = [R(1, { reports_to_id: 'E9' }), R(2), R(3, { reports_to_id: 'E9' })];
    const people = await workforce(...reports, R(9));
    await people.import([R(1, { reports_to_id: 'E9' }), R(2, { reports_to_id: 'E9' }), R(3, { reports_to_id: 'E9' }), R(9)]);
    const outcome = await people.import([R(1, { reports_to_id: 'E9' }), R(2), R(3, { reports_to_id: 'E9', lastname: 'New' })]);
    expect(await Promise.all(['E1', 'E2', 'E3'].map((importId) => bossOf(people, importId)))).toEqual([null, null, null]);
    const said = [0, 1, 2].map((index) => people.warnings(outcome, index));
    expect(said).toEqual(
      ['/employees/0/reports_to_id', '/employees/1', '/employees/2/reports_to_id'].map((at) => [`supervisor_offboarded ${at}`]),
    );
  });

  it('clears the supervisor of an employee who reappears without their former supervisor [IMPORT-SUPERVISORS-5]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2), R(3));
    await people.import([R(3)]);
    const outcome = await people.import([R(1), R(3)]);
    expect(await people.person('E1')).toMatchObject({ isDeleted: false, supervisor: null });
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_offboarded /employees/0']);
  });

  it('finds a file-uploaded employee where the import API has none, and does not change them [IMPORT-SUPERVISORS-6]', async () => {
    const people = await workforce(R(1));
    await people.account.tell([fileEmployee(7, 'F7')]);
    const before = (await people.account.read()).people.find(({ id }) => id === 7);
    await people.import([R(1, { reports_to_id: 'F7' })]);
    expect(await bossOf(people, 'E1')).toBe(7);
    expect((await people.account.read()).people.find(({ id }) => id === 7)).toEqual(before);
  });

  it('prefers the employee of the import API, also one who comes after the same record was applied [IMPORT-SUPERVISORS-6]', async () => {
    const report = R(1, { reports_to_id: 'E7' });
    const people = await workforce(R(2));
    await people.account.tell([fileEmployee(7, 'E7')]);
    await people.import([report, R(2)]);
    expect(await bossOf(people, 'E1')).toBe(7);
    await people.import([report, R(2), R(7)]);
    expect(await bossOf(people, 'E1')).toBe(await idOf(people, 'E7'));
    await people.import([report, R(2)]);
    expect(await bossOf(people, 'E1')).toBe(7);
    await people.account.tell([fileEmployee(7, 'E7', true)]);
    const outcome = await people.import([report, R(2)]);
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_offboarded /employees/0/reports_to_id']);
  });

  it('finds the old id of a supervisor who reappears in the same snapshot [IMPORT-SUPERVISORS-1]', async () => {
    const people = await workforce(R(1), R(2));
    const before = await idOf(people, 'E2');
    await people.import([R(1)]);
    await people.import([R(1, { reports_to_id: 'E2' }), R(2)]);
    expect(await bossOf(people, 'E1')).toBe(before);
  });

  it('takes the empty text for an unknown supervisor [IMPORT-SUPERVISORS-2]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2));
    const outcome = await people.import([R(1, { reports_to_id: '' }), R(2)]);
    expect(await bossOf(people, 'E1')).toBeNull();
    expect(people.warnings(outcome, 0)).toEqual(['supervisor_unknown /employees/0/reports_to_id']);
  });

  it('keeps, removes and sets the supervisor for absent, null and a value [IMPORT-VALUES-1]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2), R(3));
    await people.import([R(1, { lastname: 'New' }), R(2), R(3)]);
    expect(await bossOf(people, 'E1')).toBe(await idOf(people, 'E2'));
    await people.import([R(1, { reports_to_id: null }), R(2), R(3)]);
    expect(await bossOf(people, 'E1')).toBeNull();
    await people.import([R(1, { reports_to_id: 'E3' }), R(2), R(3)]);
    expect(await bossOf(people, 'E1')).toBe(await idOf(people, 'E3'));
  });

  it('discards a deferred supervisor when a later import sends the same record as before [IMPORT-SUPERVISORS-1]', async () => {
    const list = [R(1, { reports_to_id: null }), R(2)];
    const people = await workforce(...list);
    await people.account.tell([
      {
        revision: 1,
        line: 0,
        employee_edit: { employee: { import_id: 'E1' }, supervisor: { import_id: 'E8' }, attributes: [], cleared: [] },
      },
    ]);
    await people.import(list);
    await people.import([...list, R(8)]);
    await people.account.retryWaiting();
    expect(await bossOf(people, 'E1')).toBeNull();
  });

  it('warns of a removed supervisor whether this import or an earlier one removed them [IMPORT-SUPERVISORS-7]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E9' }), R(2), R(9));
    const report = R(1, { reports_to_id: 'E9' });
    const now = await people.import([report, R(2)]);
    const later = await people.import([report, R(2, { reports_to_id: 'E9' })]);
    const returning = await people.import([R(2, { reports_to_id: 'E9' })]).then(() => people.import([report, R(2)]));
    const said = [now, later, returning].map((outcome) => people.warnings(outcome, 0));
    expect(said).toEqual([0, 1, 2].map(() => ['supervisor_offboarded /employees/0/reports_to_id']));
    expect(people.warnings(later, 1)).toEqual(['supervisor_offboarded /employees/1/reports_to_id']);
  });

  it('points at the record when it does not send the supervisor who is removed or on a cycle [IMPORT-SUPERVISORS-7]', async () => {
    const people = await workforce(R(1, { reports_to_id: 'E2' }), R(2), R(9));
    const cycle = await people.import([R(1), R(2, { reports_to_id: 'E1' }), R(9)]);
    expect([0, 1].map((index) => people.warnings(cycle, index))).toEqual([
      ['supervisor_cycle /employees/0'],
      ['supervisor_cycle /employees/1/reports_to_id'],
    ]);
    const again = await people.import([R(1), R(2), R(9)]);
    expect(people.warnings(again, 1)).toEqual(['supervisor_cycle /employees/1']);
    const removed = await people.import([R(1), R(9)]);
    expect(people.warnings(removed, 0)).toEqual(['supervisor_offboarded /employees/0']);
  });
});
