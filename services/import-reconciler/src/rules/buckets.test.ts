import { isDerivedAttribute, normaliseAttributeName } from '@survey/formats/attribute-name.ts';
import { describe, expect, test } from 'vitest';
import { bucketFor } from './interpret-record.ts';

const age = (year: string, acceptedYear = 2026) => bucketFor('age category', year, acceptedYear);
const seniority = (year: string, acceptedYear = 2026) => bucketFor('seniority', year, acceptedYear);

describe('Age Category', () => {
  test('maps 19 years to < 20, and 20 years to 20-29 [IMPORT-ATTRIBUTES-YEARS-1]', () =>
    expect([age('2007'), age('2006')]).toEqual(['< 20', '20-29']));
  test('maps 59 years to 50-59, and 60 years to 60+ [IMPORT-ATTRIBUTES-YEARS-1]', () =>
    expect([age('1967'), age('1966')]).toEqual(['50-59', '60+']));
  test('spells the labels exactly [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const labels = Array.from({ length: 80 }, (_, years) => age(String(2026 - years)));
    expect([...new Set(labels)]).toEqual(['< 20', '20-29', '30-39', '40-49', '50-59', '60+']);
  });
  test('uses the year of acceptance, not the clock [IMPORT-ATTRIBUTES-YEARS-4]', () =>
    expect([age('2007', 2026), age('2007', 2027)]).toEqual(['< 20', '20-29']));
  test('accepts any four digits [IMPORT-ATTRIBUTES-YEARS-1]', () => expect([age('0000'), age('2030')]).toEqual(['60+', '< 20']));
});

describe('Seniority', () => {
  test('respects every bucket boundary [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const years = ['2026', '2022', '2021', '2017', '2016'];
    expect(years.map((year) => seniority(year))).toEqual(['< 5', '< 5', '05-09', '05-09', '10-14']);
  });
  test('spells the labels exactly [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const labels = Array.from({ length: 80 }, (_, years) => seniority(String(2026 - years)));
    const expected = ['< 5', '05-09', '10-14', '15-19', '20-24', '25-29', '30-34', '35-39', '40-44', '45+'];
    expect([...new Set(labels)]).toEqual(expected);
  });
  test('accepts any four digits [IMPORT-ATTRIBUTES-YEARS-1]', () =>
    expect([seniority('0000'), seniority('2030')]).toEqual(['45+', '< 5']));
});

describe('rule IMPORT-ATTRIBUTES-YEARS-3', () => {
  const notYears = [
    '',
    '90',
    '199',
    '19900',
    ' 1990',
    '1990 ',
    '1990\n',
    '-990',
    '+990',
    '19.0',
    '1e10',
    '１９９０',
    '٠٠٠٠',
    '30-39',
  ];
  test.each(notYears)('rejects %j, which is not exactly four digits', (year) => {
    expect(age(year)).toBeUndefined();
    expect(seniority(year)).toBeUndefined();
  });
});

describe('isDerivedAttribute', () => {
  test.each([' age category ', 'Age Category', 'SENIORITY'])(
    'returns true for %j [IMPORT-ATTRIBUTES-YEARS-1, IMPORT-ATTRIBUTES-NAMES-3]',
    (name) => {
      expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(true);
    },
  );
  test.each(['Seniority level', 'Age', 'constructor', '__proto__', ''])(
    'returns false for %j [IMPORT-ATTRIBUTES-YEARS-1]',
    (name) => {
      expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(false);
    },
  );
});
