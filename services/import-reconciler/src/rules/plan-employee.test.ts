import { describe, expect, it } from 'vitest';
import { countedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';
import { type Intent, interpretRecord } from './interpret-record.ts';
import { planEmployee, type CurrentEmployee } from './plan-employee.ts';

const INTENT = interpretRecord({ import_id: 'E1', email: 'Ann@x.io', firstname: 'Ann', lastname: 'Lee' }, 3, 2026);

const CURRENT: CurrentEmployee = {
  id: 1,
  position: 1,
  import_id: 'E1',
  email: 'Ann@x.io',
  email_key: 'ann@x.io',
  firstname: 'Ann',
  lastname: 'Lee',
  language: 'fr',
  role: 'Manager',
  is_deleted: false,
  option_ids: [7, 8],
  all_data: true,
  granted_option_ids: [9],
  supervisor_id: 2,
  supervisor_is_deleted: false,
  is_hash_missing: false,
};

const row = (attribute_id: number, name_key: string, option_id: number, option_name: string) => ({
  attribute_id,
  name_key,
  option_id,
  option_name,
  is_unused: false,
});

function plan(
  intent: Partial<Intent> = {},
  current: Partial<CurrentEmployee> | undefined = {},
  on_return: 'keep' | 'reset' = 'keep',
  rows = [row(1, 'dept', 7, 'IT'), row(2, 'city', 8, 'Rome')],
) {
  const dictionary = new Dictionary(rows, countedIds({ attributeId: 50, optionId: 60 }));
  const employee = current && { ...CURRENT, ...current };
  return planEmployee({ ...INTENT, ...intent }, employee, dictionary, { default_language: 'de', on_return });
}

const planNew = (intent: Partial<Intent> = {}) => {
  const dictionary = new Dictionary([], countedIds({ attributeId: 50, optionId: 60 }));
  return planEmployee({ ...INTENT, ...intent }, undefined, dictionary, { default_language: 'de', on_return: 'keep' });
};

it('gives a new employee the defaults [IMPORT-IDENTITY-2]', () => {
  expect(planNew()).toEqual({
    email: 'Ann@x.io',
    emailKey: 'ann@x.io',
    firstname: 'Ann',
    lastname: 'Lee',
    language: 'de',
    role: 'Respondee',
    optionIds: [],
    reportsTo: undefined,
    allData: false,
    grants: undefined,
    grantedOptionIds: [],
    changed: [],
    formerEmailKey: undefined,
  });
});

it('keeps what the record omits', () => {
  expect(plan()).toMatchObject({
    language: 'fr',
    role: 'Manager',
    optionIds: [7, 8],
    reportsTo: undefined,
    allData: true,
    grants: undefined,
    grantedOptionIds: [9],
    changed: [],
    formerEmailKey: undefined,
  });
});

it('resets what the record sets to null', () => {
  const cleared = plan({ language: null, role: null, reportsTo: null });
  expect(cleared).toMatchObject({ language: 'de', role: 'Respondee', changed: ['language', 'role'] });
  expect(cleared.reportsTo).toBeUndefined();
});

it('sets what the record has, and says what changes', () => {
  const record = { email: 'B@x.io', emailKey: 'b@x.io', firstname: 'Bo', lastname: 'Ray', language: 'it', role: 'Admin' };
  expect(plan({ ...record, reportsTo: 'E2' })).toMatchObject({
    ...record,
    reportsTo: 'E2',
    changed: ['email', 'firstname', 'lastname', 'language', 'role'],
  });
});

describe('the rights of an employee who returns', () => {
  it('stay where the record does not send any, or are reset, as the account says [IMPORT-IDENTITY-18]', () => {
    const kept = { role: 'Manager', allData: true, grantedOptionIds: [9] };
    expect(plan({}, { is_deleted: true }, 'keep')).toMatchObject(kept);
    expect(plan({}, { is_deleted: false }, 'reset')).toMatchObject(kept);
    expect(plan({}, { is_deleted: true }, 'reset')).toMatchObject({ role: 'Respondee', allData: false, grantedOptionIds: [] });
    expect(plan({}, { is_deleted: true }, 'reset').language).toBe('fr');
  });
});

describe('access', () => {
  const grants = [{ attributeKey: 'dept', value: 'IT' }];
  const none = { allData: false, grants: undefined, grantedOptionIds: [] };

  it('is replaced by what the record sends', () => {
    expect(plan({ permissions: { allData: false, grants } })).toMatchObject({ allData: false, grants, grantedOptionIds: [] });
    expect(plan({ permissions: { allData: true, grants: [] } })).toMatchObject({ ...none, allData: true });
    expect(plan({ permissions: { allData: false, grants: [] } })).toMatchObject(none);
  });

  it('is revoked by null, for the role as for the permissions [IMPORT-GRANTS-ROLE-2]', () => {
    expect(plan({ permissions: null })).toMatchObject(none);
    expect(plan({ role: null, permissions: { allData: true, grants: [] } })).toMatchObject(none);
  });

  it('stays without effect for a Respondee [IMPORT-GRANTS-ROLE-4]', () => {
    const kept = { allData: true, grants: undefined, grantedOptionIds: [9] };
    expect(plan({ role: 'Respondee', permissions: { allData: false, grants } })).toMatchObject(kept);
    expect(planNew({ permissions: { allData: true, grants } })).toMatchObject(none);
  });
});

describe('attributes', () => {
  const dept = (value: string | null) => ({ key: 'dept', name: 'Dept', value });

  it('replace the values of those that the record lists', () => {
    expect(plan({ attributes: [dept('HR')] })).toMatchObject({ optionIds: [60, 8], changed: ['attributes'] });
    expect(plan({ attributes: [dept(null)] })).toMatchObject({ optionIds: [8], changed: ['attributes'] });
    expect(plan({ attributes: [dept('IT')] })).toMatchObject({ optionIds: [7, 8], changed: [] });
    expect(planNew({ attributes: [dept('IT')] }).optionIds).toEqual([60]);
  });

  it('may have names that do not exist yet, when they are cleared', () => {
    const unknown = { key: 'team', name: 'Team', value: null };
    expect(plan({ attributes: [unknown] })).toMatchObject({ optionIds: [7, 8], changed: [] });
  });

  it('are not looked up in a record that lists none', () => {
    expect(plan({}, {}, 'keep', []).optionIds).toEqual([7, 8]);
  });

  it('differ if one value does', () => {
    const cleared = { key: 'city', name: 'City', value: null };
    expect(plan({ attributes: [cleared] })).toMatchObject({ optionIds: [7], changed: ['attributes'] });
    const city = { key: 'city', name: 'City', value: 'Oslo' };
    const rows = [row(1, 'dept', 7, 'IT'), row(2, 'city', 8, 'Rome'), row(2, 'city', 9, 'Oslo')];
    expect(plan({ attributes: [city] }, {}, 'keep', rows)).toMatchObject({ optionIds: [7, 9], changed: ['attributes'] });
  });
});

describe('the former address', () => {
  const other = { email: 'bo@x.io', emailKey: 'bo@x.io' };
  const formerKey = (intent: Partial<Intent>, current: Partial<CurrentEmployee> = {}) => plan(intent, current).formerEmailKey;

  it('is known when name and address are now of somebody else [IMPORT-IDENTITY-11]', () => {
    expect(formerKey({ ...other, firstname: 'Bo' })).toBe('ann@x.io');
    expect(formerKey({ ...other, lastname: 'Ray' })).toBe('ann@x.io');
  });

  it('is not, when one of them stays the same', () => {
    expect(formerKey({ firstname: 'Bo' })).toBeUndefined();
    expect(formerKey(other)).toBeUndefined();
    expect(formerKey({ ...other, firstname: ' ANN' })).toBeUndefined();
    // An address of an old row, whose key is not stored.
    expect(formerKey({ firstname: 'Bo' }, { email_key: null })).toBeUndefined();
  });

  it('takes a missing name for an empty one', () => {
    const nameless = { firstname: null, lastname: null };
    expect(formerKey({ ...other, firstname: '', lastname: '' }, nameless)).toBeUndefined();
    expect(formerKey({ ...other, firstname: 'null', lastname: '' }, nameless)).toBe('ann@x.io');
  });
});
