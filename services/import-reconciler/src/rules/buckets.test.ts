import { normaliseAttributeName } from '@survey/attribute-name/normalise.ts';
import { describe, expect, test } from 'vitest';
import { bucketFor, isDerivedAttribute } from './buckets.ts';

const age = (year: string, acceptedYear = 2026) => bucketFor('age category', year, acceptedYear);
const seniority = (year: string, acceptedYear = 2026) => bucketFor('seniority', year, acceptedYear);

describe('Age Category', () => {
  test('B16: 19 years are < 20, 20 years are 20-29', () => expect([age('2007'), age('2006')]).toEqual(['< 20', '20-29']));
  test('B18: 59 years are 50-59, 60 years are 60+', () => expect([age('1967'), age('1966')]).toEqual(['50-59', '60+']));
  test('B21: the labels, as they are spelled', () => {
    const labels = Array.from({ length: 80 }, (_, years) => age(String(2026 - years)));
    expect([...new Set(labels)]).toEqual(['< 20', '20-29', '30-39', '40-49', '50-59', '60+']);
  });
  test('B23: the year of acceptance decides, not the clock', () =>
    expect([age('2007', 2026), age('2007', 2027)]).toEqual(['< 20', '20-29']));
  test('B24: any four digits count', () => expect([age('0000'), age('2030')]).toEqual(['60+', '< 20']));
});

describe('Seniority', () => {
  test('B19: every edge', () => {
    const years = ['2026', '2022', '2021', '2017', '2016'];
    expect(years.map((year) => seniority(year))).toEqual(['< 5', '< 5', '05-09', '05-09', '10-14']);
  });
  test('B21: the labels, as they are spelled', () => {
    const labels = Array.from({ length: 80 }, (_, years) => seniority(String(2026 - years)));
    const expected = ['< 5', '05-09', '10-14', '15-19', '20-24', '25-29', '30-34', '35-39', '40-44', '45+'];
    expect([...new Set(labels)]).toEqual(expected);
  });
  test('B24: any four digits count', () => expect([seniority('0000'), seniority('2030')]).toEqual(['45+', '< 5']));
});

describe('interface.md, field rule 10', () => {
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
  test.each([' age category ', 'Age Category', 'SENIORITY'])('B27, B28: %j is derived', (name) => {
    expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(true);
  });
  test.each(['Seniority level', 'Age', 'constructor', '__proto__', ''])('B33: %j is an ordinary attribute', (name) => {
    expect(isDerivedAttribute(normaliseAttributeName(name))).toBe(false);
  });
});
