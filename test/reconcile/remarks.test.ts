import { describe, expect, it } from 'vitest';
import { openReconcilerDatabase } from '../support/import/reconciling-account.ts';
import type { SentRecord } from '../support/import/organisation.ts';
import { attribute, AROUND, grant, newWorkforce, R } from './workforce.ts';

const database = await openReconcilerDatabase();

const manager = (...grants: ReturnType<typeof grant>[]) => ({ role: 'Manager', permissions: { grants } });
const dept = (n: number, value: string): SentRecord => R(n, { attributes: [attribute('Dept', value)] });

/** Imports one snapshot after the other, and returns the warnings of the last one. */
async function told(...snapshots: (readonly SentRecord[])[]): Promise<string[]> {
  const people = await newWorkforce(database);
  let warnings: string[] = [];
  for (const snapshot of snapshots) {
    const { records } = await people.import(snapshot);
    warnings = records.flatMap((record) => record.warnings);
  }
  return warnings;
}

describe('values', () => {
  it.each([
    ['Malm\u00f6', 'Malmo\u0308'],
    ['\u1e69', 's\u0323\u0307'],
    ['\uac00', '\u1100\u1161'],
  ])('are one option in two normal forms: %s [IMPORT-ATTRIBUTES-VALUES-1]', async (composed, decomposed) => {
    const people = await newWorkforce(database);
    const seeing = R(3, manager(grant('Dept', decomposed)));
    const { records } = await people.import([dept(1, composed), dept(2, decomposed), seeing]);
    expect((await people.account.read()).attributes['dept']?.values).toEqual([composed]);
    expect(await people.person('E3')).toMatchObject({ grants: [`dept=${composed}`] });
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it.each(['SALES', ' sales', 'Sa\u200bles', 'SA LES', 'sales\u00a0'])(
    'that look alike are told once: Sales and %j [IMPORT-ATTRIBUTES-VALUES-5]',
    async (other) => {
      const before = [dept(1, 'Sales')];
      const now = [dept(1, 'Sales'), dept(2, other), dept(3, other)];
      expect(await told(before, now)).toEqual(['value_looks_alike /employees/1']);
      expect(await told(before, now, now)).toEqual([]);
      expect(await told(now)).toEqual(['value_looks_alike /employees/1']);
    },
  );

  it.each(['Sale', 'Sal\u00e9s', 'Sales-'])(
    'that differ are not told: Sales and %s [IMPORT-ATTRIBUTES-VALUES-5]',
    async (other) => {
      expect(await told([dept(1, 'Sales'), dept(2, other)])).toEqual([]);
    },
  );

  it('of different attributes are not told [IMPORT-ATTRIBUTES-VALUES-5]', async () => {
    expect(await told([dept(1, 'Sales'), R(2, { attributes: [attribute('Team', 'SALES')] })])).toEqual([]);
  });

  it('of a skipped record are not told [IMPORT-ATTRIBUTES-VALUES-5]', async () => {
    const taken = { ...dept(2, 'SALES'), email: 'e1@x.io' };
    expect(await told([dept(1, 'Sales'), taken])).toEqual([]);
  });
});

it('tells each name that looks like a derived attribute once [IMPORT-ATTRIBUTES-YEARS-5]', async () => {
  const years = (n: number, ...names: string[]) => R(n, { attributes: names.map((name) => attribute(name, '1990')) });
  const snapshot = [years(1, 'Age\u00a0\u00a0Category'), years(2, 'AgeCategory', 'SEN\u0130OR\u0130TY'), years(3, 'agecategory')];
  const once = [
    'looks_like_age_category /employees/0/attributes/0/name',
    'looks_like_age_category /employees/1/attributes/0/name',
    'looks_like_seniority /employees/1/attributes/1/name',
  ];
  expect(await told(snapshot)).toEqual(once);
  expect(await told(snapshot, snapshot)).toEqual(once);
});

describe('grants', () => {
  const boss = R(1, manager(grant('Dept', 'Sales')));

  it('that match nobody any more are told, although their record has not changed [IMPORT-GRANTS-SCOPE-6]', async () => {
    const before = [boss, dept(2, 'Sales'), dept(3, 'Sales')];
    expect(await told(before)).toEqual([]);
    expect(await told(before, [boss, dept(2, 'SALES'), dept(3, 'SALES')])).toEqual([
      'grant_matches_nobody /employees/0',
      'value_looks_alike /employees/1',
    ]);
    expect(await told(before, [boss])).toEqual(['grant_matches_nobody /employees/0']);
    expect(await told(before, [boss], [boss])).toEqual(['grant_matches_nobody /employees/0']);
    expect(await told(before, [boss], before)).toEqual([]);
  });

  it('of somebody with all data or no role are not told [IMPORT-GRANTS-SCOPE-6]', async () => {
    expect(await told([{ ...boss, role: 'Respondee' }, dept(2, 'Sales')], [{ ...boss, role: 'Respondee' }])).toEqual([]);
    const all = R(1, { role: 'Manager', permissions: { all_data: true } });
    expect(await told([all, dept(2, 'Sales')], [all])).toEqual([]);
  });
});

describe('employees who come back', () => {
  it.each([
    ['a role', { role: 'Admin' }, 1],
    ['grants', manager(grant('Dept', 'Sales')), 1],
    ['neither', { role: 'Respondee' }, 0],
  ])('with %s [IMPORT-IDENTITY-10]', async (_, access, count) => {
    const before = [R(1, access), dept(2, 'Sales')];
    expect(await told(before, [dept(2, 'Sales')], [R(1), dept(2, 'Sales')])).toEqual(
      Array.from({ length: count }, () => 'access_regained /employees/0'),
    );
  });

  it('begin without rights, and without a warning, if the integration resets them [IMPORT-IDENTITY-18]', async () => {
    const people = await newWorkforce(database, [
      R(1, { role: 'Admin' }),
      R(2, manager(grant('Dept', 'Sales'))),
      dept(3, 'Sales'),
    ]);
    await people.import([dept(3, 'Sales')]);
    const back = [R(1), R(2, { role: 'Analyst' }), dept(3, 'Sales')];
    const { records } = await people.import(back, { onReturn: 'reset' });
    expect(records.map(({ warnings }) => warnings)).toEqual([[], ['access_regained /employees/1']]);
    expect(await people.person('E1')).toMatchObject({ role: 'Respondee', grants: [], isDeleted: false });
    expect(await people.person('E2')).toMatchObject({ role: 'Analyst', grants: [] });
    // Later records change nothing: only a return resets.
    await people.import([R(1, { role: 'Admin' }), R(2), dept(3, 'Sales')], { onReturn: 'reset' });
    await people.import([R(1), R(2), dept(3, 'Sales')], { onReturn: 'reset' });
    expect(await people.person('E1')).toMatchObject({ role: 'Admin' });
  });

  it('as somebody else, with the rights of before [IMPORT-IDENTITY-11]', async () => {
    const bob = R(1, { email: 'bob@x.io', firstname: 'Bob', lastname: 'Day' });
    expect(await told([R(1, { role: 'Admin' }), R(2)], [R(2)], [bob, R(2)])).toEqual([
      'access_regained /employees/0',
      'identity_changed /employees/0',
    ]);
  });
});

describe('identities', () => {
  const as = (n: number, other: number): SentRecord => ({ ...R(other), import_id: `E${n}` });

  it('that change are told; a new name or a new address alone is not [IMPORT-IDENTITY-11]', async () => {
    const before = [R(1), R(2), R(3)];
    const now = [as(1, 9), { ...R(2), email: 'new@x.io' }, { ...R(3), firstname: 'New', lastname: 'Name' }];
    expect(await told(before, now)).toEqual(['identity_changed /employees/0']);
  });

  it('that are swapped or shifted are told as such [IMPORT-IDENTITY-12]', async () => {
    expect(await told([R(1), R(2), R(3)], [as(1, 2), as(2, 1), R(3)])).toEqual([
      'identity_swapped /employees/0',
      'identity_swapped /employees/1',
    ]);
    expect(await told([R(1), R(2), R(3)], [as(1, 2), as(2, 3), as(3, 1)])).toHaveLength(3);
  });

  it('are told by a dry run [IMPORT-IDENTITY-12]', async () => {
    const { account } = await newWorkforce(database, [R(1), R(2)]);
    const { records } = await account.trySnapshot([as(1, 2), as(2, 1)], AROUND);
    expect(records.flatMap(({ warnings }) => warnings)).toEqual([
      'identity_swapped /employees/0',
      'identity_swapped /employees/1',
    ]);
  });
});

describe('a snapshot as a whole', () => {
  const ids = (list: readonly string[]): SentRecord[] => list.map((id, at) => ({ ...R(at + 1), import_id: id }));
  const apart = (records: readonly SentRecord[]): SentRecord[] =>
    records.map((record) => ({ ...record, email: `new-${record.email}`, firstname: 'New' }));

  it.each([
    ['leading_zeros_lost', ['007', '0012'], ['7', '12']],
    ['leading_zeros_added', ['7', '12'], ['007', '012']],
    ['id_case_changed', ['ab1', 'ab2'], ['AB1', 'Ab2']],
    ['id_prefix_changed', ['E-1', 'E-2'], ['1', '2']],
    ['id_prefix_changed', ['1', '2'], ['DE1', 'DE2']],
  ])('tells %s in one line [IMPORT-IDENTITY-13]', async (code, before, now) => {
    const { account } = await newWorkforce(database, ids(before));
    expect((await account.trySnapshot(apart(ids(now)), AROUND)).remarks).toEqual([`${code} 2`]);
    expect((await account.importSnapshot(ids(now), { ...AROUND, threshold: '0' })).remarks).toEqual(
      ['email_known_under_other_import_id 2', `${code} 2`].sort(),
    );
  });

  it('does not take two employees of two sites for one [IMPORT-IDENTITY-13]', async () => {
    const { account } = await newWorkforce(database, ids(['DE1', 'DE2']));
    const [stays, , joins] = ids(['DE1', 'DE2', 'FR2']);
    if (stays === undefined || joins === undefined) throw new Error('expected three records');
    expect((await account.importSnapshot([stays, joins], AROUND)).remarks).toEqual([]);
  });

  it.each([
    ['demotes', [R(1, { role: 'Manager' }), R(2)], ['last_admin_lost /employees/0/role']],
    ['offboards', [R(2)], []],
  ])('tells when it %s the last Admin [IMPORT-IDENTITY-14]', async (_, now, warnings) => {
    const people = await newWorkforce(database, [R(1, { role: 'Admin' }), R(2)]);
    const outcome = await people.import(now);
    expect(outcome.remarks).toEqual(['last_admin_lost']);
    expect(outcome.records.flatMap((record) => record.warnings)).toEqual(warnings);
    expect((await people.import(now)).remarks).toEqual([]);
  });

  it('does not miss an Admin while there is another one [IMPORT-IDENTITY-14]', async () => {
    const people = await newWorkforce(database, [R(1, { role: 'Admin' }), R(2)]);
    expect((await people.import([R(1, { role: 'Manager' }), R(2, { role: 'Admin' })])).remarks).toEqual([]);
  });

  it.each([
    ['49.9999', 'cancelled'],
    ['50', 'applied'],
  ])('is cancelled above the identity threshold: 2 of 4 and %s %% [IMPORT-IDENTITY-15]', async (identityThreshold, state) => {
    const { account } = await newWorkforce(database, [R(1), R(2), R(3), R(4)]);
    const now = [{ ...R(2), import_id: 'E1' }, { ...R(1), import_id: 'E2' }, R(3), R(4)];
    const around = { ...AROUND, identityThreshold };
    expect(await account.trySnapshot(now, around)).toMatchObject({ state, remarks: ['identity_swapped 2'] });
    expect(await account.importSnapshot(now, around)).toMatchObject({
      state,
      cancelled: state === 'cancelled' ? ['identity_threshold'] : [],
    });
    expect(await account.importSnapshot(now, { ...around, deletesAllowed: true })).toMatchObject({ state: 'applied' });
  });
});
