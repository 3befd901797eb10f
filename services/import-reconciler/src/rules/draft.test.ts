import { asIncoming } from '@survey/bus/facts/fact.ts';
import { describe, expect, it } from 'vitest';
import { countedIds, namedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';
import { draftOf, editedAttributes, fieldsOf, type StoredEmployee, type Versions } from './draft.ts';
import type { EmployeeFact } from './employee-fact.ts';

const STORED: StoredEmployee = {
  id: 1,
  created_via: 'file',
  import_id: null,
  email: 'a@x.io',
  firstname: null,
  lastname: null,
  role: null,
  language: null,
  is_deleted: false,
  option_ids: [],
};

const dictionaryOf = (): Dictionary => new Dictionary([], countedIds({ attributeId: 1, optionId: 1 }));

function edit(revision: number, more: Partial<EmployeeFact>): EmployeeFact {
  const incoming = asIncoming({ revision, line: revision }, revision);
  return {
    ...incoming,
    employee: { id: 1 },
    fullEmployee: undefined,
    fields: {},
    supervisor: undefined,
    attributes: [],
    ...more,
  };
}

const whole = (revision: number, more: Partial<EmployeeFact> = {}): EmployeeFact =>
  edit(revision, { fullEmployee: { created_via: 'app', import_id: 'E1' }, supervisor: null, ...more });

const versions = (known: Readonly<Record<string, number>>): Versions =>
  new Map(Object.entries(known).map(([field, revision]) => [field, { revision, digest: Buffer.alloc(0) }]));

const dept = (...values: string[]) => [{ key: 'dept', name: 'Dept', values }];
const city = (...values: string[]) => [{ key: 'city', name: 'City', values }];

it('creates an employee from a whole one, and none from an edit', () => {
  const created = draftOf(undefined, versions({}), [whole(1, { employee: { id: 7 } })], dictionaryOf());
  expect(created?.employee).toEqual({ ...STORED, id: 7, created_via: 'app', import_id: 'E1', email: '' });
  expect([...(created?.fieldVersions.keys() ?? [])]).toEqual(['']);
  expect(draftOf(undefined, versions({}), [edit(1, { fields: { role: 'Boss' } })], dictionaryOf())).toBeUndefined();
  const withoutId = [whole(1, { employee: { import_id: 'E1' } })];
  expect(draftOf(undefined, versions({}), withoutId, dictionaryOf())?.employee.id).toBe(0);
});

it('keeps the identity of an employee whom the import has adopted [IMPORT-IDENTITY-17]', () => {
  const adopted = { ...STORED, created_via: 'import_api', import_id: 'P1' };
  expect(draftOf(adopted, versions({}), [whole(1)], dictionaryOf())?.employee).toMatchObject(adopted);
  expect(draftOf(STORED, versions({}), [whole(1)], dictionaryOf())?.employee).toMatchObject({ import_id: 'E1' });
});

describe('a field', () => {
  const roleOf = (known: Versions, ...facts: EmployeeFact[]) => draftOf(STORED, known, facts, dictionaryOf())?.employee.role;
  const boss = (revision: number) => edit(revision, { fields: { role: 'Boss' } });
  const clerk = (revision: number) => whole(revision, { fields: { role: 'Clerk' } });

  it('comes from the newest fact, in any order', () => {
    for (const facts of [
      [boss(2), clerk(1)],
      [clerk(1), boss(2)],
    ])
      expect(roleOf(versions({}), ...facts)).toBe('Boss');
    expect(roleOf(versions({}), boss(1), clerk(2))).toBe('Clerk');
  });

  it('stays when a stored fact is newer', () => {
    expect(roleOf(versions({ role: 3 }), boss(2))).toBeNull();
    expect(roleOf(versions({ '': 3 }), boss(2))).toBeNull();
    expect(roleOf(versions({ '': 3 }), clerk(2))).toBeNull();
    expect(roleOf(versions({ role: 3 }), clerk(2))).toBeNull();
    expect(roleOf(versions({ role: 1, '': 1 }), boss(2))).toBe('Boss');
  });

  it('is decided by name, also for the supervisor', () => {
    const reference = { id: 9 };
    const fact = edit(2, { fields: { role: 'Boss' }, supervisor: reference, attributes: dept('IT') });
    const draft = draftOf(STORED, versions({ role: 3 }), [fact], dictionaryOf());
    expect(draft?.supervisor).toEqual({ reference, by: fact });
    expect([...(draft?.fieldVersions.keys() ?? [])]).toEqual(['attribute:dept', 'supervisor']);
    expect(draftOf(STORED, versions({ supervisor: 3 }), [fact], dictionaryOf())?.supervisor).toBeUndefined();
    expect(draftOf(STORED, versions({}), [boss(2)], dictionaryOf())?.supervisor).toBeUndefined();
  });
});

describe('attributes', () => {
  const optionsOf = (known: Versions, facts: readonly EmployeeFact[], current: readonly string[] = []): number[] => {
    const dictionary = dictionaryOf();
    const values = { IT: 'dept', Sales: 'dept', Rome: 'city', Oslo: 'city' } as const;
    // Options 1 to 4.
    const ids = new Map(
      Object.entries(values).map(([value, key]) => [
        value,
        dictionary.optionId({ key, name: key === 'dept' ? 'Dept' : 'City', value }),
      ]),
    );
    const option_ids = current.map((value) => ids.get(value) ?? 0);
    return draftOf({ ...STORED, option_ids }, known, facts, dictionary)?.employee.option_ids.toSorted((a, b) => a - b) ?? [];
  };

  it('that an edit names are replaced or cleared; others stay', () => {
    expect(optionsOf(versions({}), [edit(2, { attributes: dept('Sales') })], ['IT', 'Rome'])).toEqual([2, 3]);
    expect(optionsOf(versions({}), [edit(2, { attributes: dept() })], ['IT', 'Rome'])).toEqual([3]);
    expect(optionsOf(versions({ 'attribute:dept': 3 }), [edit(2, { attributes: dept('Sales') })], ['IT'])).toEqual([1]);
  });

  it('that a whole employee does not name go, unless an edit is newer', () => {
    const sales = [whole(2, { attributes: dept('Sales') })];
    expect(optionsOf(versions({}), sales, ['IT', 'Rome'])).toEqual([2]);
    expect(optionsOf(versions({ 'attribute:city': 3, role: 3 }), sales, ['IT', 'Rome'])).toEqual([2, 3]);
    expect(optionsOf(versions({ 'attribute:dept': 3 }), sales, ['IT', 'Rome'])).toEqual([1]);
  });

  it('of an edit beside a whole employee win if the edit is newer', () => {
    const both = (revision: number) => [whole(2, { attributes: dept('Sales') }), edit(revision, { attributes: dept('IT') })];
    expect(optionsOf(versions({}), both(3))).toEqual([1]);
    expect(optionsOf(versions({}), both(1))).toEqual([2]);
    const oslo = [whole(2, { attributes: dept('Sales') }), edit(3, { attributes: city('Oslo') })];
    expect(optionsOf(versions({ 'attribute:city': 1 }), oslo, ['Rome'])).toEqual([2, 4]);
  });
});

it('names the fields of a fact, and the attributes among fields', () => {
  expect(fieldsOf(edit(1, { fields: { role: 'Boss' }, attributes: dept('IT'), supervisor: null }))).toEqual([
    'role',
    'attribute:dept',
    'supervisor',
  ]);
  expect(fieldsOf(edit(1, {}))).toEqual([]);
  expect(editedAttributes(versions({ role: 1, 'attribute:dept': 1, supervisor: 1 }))).toEqual(['dept']);
});

it('applies 10,000 edits of one employee, each of another attribute, in one pass', () => {
  const edits = Array.from({ length: 10_000 }, (_, nth): EmployeeFact => {
    const attributes = [{ key: `a${nth}`, name: `A${nth}`, values: ['v'] }];
    const incoming = asIncoming({ revision: 0, line: nth }, nth);
    return { ...incoming, employee: { id: 1 }, fullEmployee: undefined, fields: {}, supervisor: undefined, attributes };
  });
  const begun = process.cpuUsage();
  const dictionary = new Dictionary([], namedIds({ attributeId: 1, optionId: 1 }));
  expect(draftOf(STORED, new Map(), edits, dictionary)?.employee.option_ids).toHaveLength(edits.length);
  // Merging the options for each edit takes more than 6 s.
  expect(process.cpuUsage(begun).user / 1_000_000).toBeLessThan(2);
});
