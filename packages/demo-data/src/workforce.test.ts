import { expect, test } from 'vitest';
import { workforce } from './workforce.ts';
import { snapshotChunks } from './write-dataset.ts';

const SIZE = { employees: 3_000, months: 12, seed: 7 };
const people = [...workforce(SIZE)];

test('returns the same employees for the same seed, and others for another', () => {
  expect([...workforce(SIZE)]).toEqual(people);
  expect([...workforce({ ...SIZE, seed: 8 })]).not.toEqual(people);
});

test('keeps the first employees at the same indexes in a larger organisation', () => {
  const [first] = workforce({ ...SIZE, employees: 5_000 });
  expect(first).toEqual(people[0]);
});

test('numbers import_ids from E1 and makes e-mail addresses unique', () => {
  expect(people.map(({ import_id }) => import_id)).toEqual(people.map((_, index) => `E${index + 1}`));
  expect(new Set(people.map(({ email }) => email)).size).toBe(3_000);
});

test('returns well-formed addresses at example.com', () => {
  expect(people.filter(({ email }) => !/^[a-z]+\.[a-z]+\.\d+@example\.com$/.test(email))).toEqual([]);
});

test('returns no first name with an underscore and no empty name', () => {
  expect(people.filter(({ firstname, lastname }) => firstname.includes('_') || !firstname || !lastname)).toEqual([]);
});

test('makes supervisors one tree below the first employee', () => {
  const seen = new Set<string>();
  for (const { import_id, reports_to_id } of people) {
    expect(reports_to_id === null ? seen.size === 0 : seen.has(reports_to_id)).toBe(true);
    seen.add(import_id);
  }
});

test('gives employees six attributes, four-digit years and a joining age of at least 17', () => {
  for (const { attributes } of people) {
    const value = Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute.value.name]));
    expect(Object.keys(value)).toEqual(['Department', 'Location', 'Country', 'Job Family', 'Age Category', 'Seniority']);
    expect(value['Age Category']).toMatch(/^\d{4}$/);
    expect(value['Seniority']).toMatch(/^\d{4}$/);
    expect(Number(value['Seniority']) - Number(value['Age Category'])).toBeGreaterThanOrEqual(17);
  }
});

test('returns several languages and all five roles', () => {
  expect(new Set(people.map(({ language }) => language)).size).toBeGreaterThan(5);
  expect(new Set(people.map(({ role }) => role))).toEqual(new Set(['Admin', 'Manager', 'Analyst', 'Report viewer', 'Respondee']));
});

test('returns a snapshot that is a valid import body', () => {
  expect(JSON.parse([...snapshotChunks(SIZE)].join(''))).toEqual({ employees: people });
});
