import { normaliseAttributeName } from '@survey/attribute-name/normalise.ts';
import { describe, expect, test } from 'vitest';
import { bucketFor, isDerivedAttribute } from './buckets.ts';

const age = (year: string, acceptedYear = 2026) => bucketFor('age category', year, acceptedYear);
const seniority = (year: string, acceptedYear = 2026) => bucketFor('seniority', year, acceptedYear);

describe('Age Category', () => {
  test('19 years are < 20, 20 years are 20-29 [IMPORT-ATTRIBUTES-YEARS-1]', () =>
    expect([age('2007'), age('2006')]).toEqual(['< 20', '20-29']));
  test('59 years are 50-59, 60 years are 60+ [IMPORT-ATTRIBUTES-YEARS-1]', () =>
    expect([age('1967'), age('1966')]).toEqual(['50-59', '60+']));
  test('the labels, as they are spelled [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const labels = Array.from({ length: 80 }, (_, years) => age(String(2026 - years)));
    expect([...new Set(labels)]).toEqual(['< 20', '20-29', '30-39', '40-49', '50-59', '60+']);
  });
  test('the year of acceptance decides, not the clock [IMPORT-ATTRIBUTES-YEARS-4]', () =>
    expect([age('2007', 2026), age('2007', 2027)]).toEqual(['< 20', '20-29']));
  test('any four digits count [IMPORT-ATTRIBUTES-YEARS-1]', () => expect([age('0000'), age('2030')]).toEqual(['60+', '< 20']));
});

describe('Seniority', () => {
  test('every edge [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const years = ['2026', '2022', '2021', '2017', '2016'];
    expect(years.map((year) => seniority(year))).toEqual(['< 5', '< 5', '05-09', '05-09', '10-14']);
  });
  test('the labels, as they are spelled [IMPORT-ATTRIBUTES-YEARS-2]', () => {
    const labels = Array.from({ length: 80 }, (_, years) => seniority(String(2026 - years)));
    const expected = ['< 5', '05-09', '10-14', '15-19', '20-24', '25-29', '30-34', '35-39', '40-44', '45+'];
    expect([...new Set(labels)]).toEqual(expected);
  });
  test('any four digits count [IMPORT-ATTRIBUTES-YEARS-1]', () =>
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
  test.each(notYears)('%j is not exactly four digits', (year) => {
    expect(age(year)).toBeUndefined();
    expect(seniority(year)).toBeUndefined();
  });
});

describe('isDerivedAttribute', () => {
  test.each([' age category ', 'Age Category', 'SENIORITY'])(
    '%j is derived [IMPORT-ATTRIBUTES-YEARS-1, IMPORT-ATTRIBUTES-NAMES-3]',
    (name) => {
      expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(true);
    },
  );
  test.each(['Seniority level', 'Age', 'constructor', '__proto__', ''])(
    '%j is an ordinary attribute [IMPORT-ATTRIBUTES-YEARS-1]',
    (name) => {
      expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(false);
    },
  );
});
