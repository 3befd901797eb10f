import type { EmployeeRecord } from '@survey/formats/employee-record.ts';
import { describe, expect, it } from 'vitest';
import { erasedIssue, interpretRecord } from './interpret-record.ts';

const RECORD: EmployeeRecord = { import_id: 'E1', email: 'Ann@x.io', firstname: 'Ann', lastname: 'Lee' };
const interpret = (more: Partial<EmployeeRecord> = {}) => interpretRecord({ ...RECORD, ...more }, 3, 2026);
const attribute = (name: string, value: string | null) => ({ name, value: value === null ? null : { name: value } });

it('requests nothing about what the record omits', () => {
  expect(interpret()).toEqual({
    index: 3,
    importId: 'E1',
    email: 'Ann@x.io',
    emailKey: 'ann@x.io',
    firstname: 'Ann',
    lastname: 'Lee',
    language: undefined,
    reportsTo: undefined,
    role: undefined,
    permissions: undefined,
    attributes: [],
    reasons: [],
    derivedLike: [],
    warnings: [],
  });
});

it('clears what the record sets to null', () => {
  const record = { language: null, reports_to_id: null, role: null, permissions: null };
  expect(interpret(record)).toMatchObject({
    language: null,
    reportsTo: null,
    role: null,
    permissions: null,
    attributes: [],
    reasons: [],
  });
});

it('skips a record with an unknown role, an unknown language or a blank address, for each reason', () => {
  expect(interpret({ email: ' ', role: 'admin', language: 'de-DE' }).reasons).toEqual([
    { pointer: '/employees/3/email', code: 'email_blank' },
    { pointer: '/employees/3/role', code: 'role_unknown' },
    { pointer: '/employees/3/language', code: 'language_unknown' },
  ]);
  for (const role of ['Admin', 'Manager', 'Analyst', 'Report viewer', 'Respondee'])
    expect(interpret({ role, language: 'DE' })).toMatchObject({ role, language: 'de', reasons: [] });
});

it('warns of an address that looks unusual, unless it is blank [IMPORT-EMAILS-7]', () => {
  const unusual = [{ pointer: '/employees/3/email', code: 'email_unusual' }];
  expect(interpret({ email: ' ann ' })).toMatchObject({ email: 'ann', reasons: [], warnings: unusual });
  expect(interpret({ email: ' ' }).warnings).toEqual([]);
});

it('says which property names an erased employee [DATA-ERASURE-4]', () => {
  expect(erasedIssue(3, 'email')).toEqual({ pointer: '/employees/3/email', code: 'erased' });
});

describe('permissions', () => {
  const grants = [{ attribute: { name: ' Dept ' }, value: { name: 'Cafe\u0301' } }];

  it('match attributes loosely and values exactly [IMPORT-GRANTS-SCOPE-2, IMPORT-GRANTS-SCOPE-4]', () => {
    const granted = [{ attributeKey: 'dept', value: 'Caf\u00e9' }];
    expect(interpret({ permissions: { grants } }).permissions).toEqual({ allData: false, grants: granted });
    expect(interpret({ permissions: { all_data: false, grants } }).permissions).toEqual({ allData: false, grants: granted });
  });

  it('have no grants with all_data, or without a list of them [IMPORT-GRANTS-PERMISSIONS-2]', () => {
    expect(interpret({ permissions: { all_data: true, grants } }).permissions).toEqual({ allData: true, grants: [] });
    expect(interpret({ permissions: {} }).permissions).toEqual({ allData: false, grants: [] });
  });
});

describe('attributes', () => {
  it('keep their spelling, have a key, and are cleared by null', () => {
    expect(interpret({ attributes: [attribute(' Dept ', 'Cafe\u0301'), attribute('City', null)] })).toMatchObject({
      attributes: [
        { key: 'dept', name: 'Dept', value: 'Caf\u00e9' },
        { key: 'city', name: 'City', value: null },
      ],
      reasons: [],
      derivedLike: [],
    });
  });

  it('skip the record when one is listed twice', () => {
    const { reasons } = interpret({ attributes: [attribute('Dept', 'a'), attribute('City', 'b'), attribute('dept', 'a')] });
    expect(reasons).toEqual([{ pointer: '/employees/3/attributes/2/name', code: 'attribute_repeated' }]);
  });

  it('replace a year by its bucket, and skip the record without one [IMPORT-ATTRIBUTES-YEARS-3]', () => {
    const born = (value: string | null) => interpret({ attributes: [attribute('Age category', value)] });
    expect(born('1990')).toMatchObject({ attributes: [{ value: '30-39' }], reasons: [], derivedLike: [] });
    expect(born(null)).toMatchObject({ attributes: [{ value: null }], reasons: [], derivedLike: [] });
    expect(born('90')).toMatchObject({
      attributes: [],
      reasons: [{ pointer: '/employees/3/attributes/0/value/name', code: 'year_malformed' }],
    });
  });

  it('note a name that looks like one with years, unless it is cleared [IMPORT-ATTRIBUTES-YEARS-5]', () => {
    const note = { pointer: '/employees/3/attributes/0/name', code: 'looks_like_age_category', attribute: 'age-category' };
    expect(interpret({ attributes: [attribute('Age-Category', '1990')] })).toMatchObject({
      attributes: [{ value: '1990' }],
      derivedLike: [note],
    });
    expect(interpret({ attributes: [attribute('Age-Category', null)] }).derivedLike).toEqual([]);
  });
});
