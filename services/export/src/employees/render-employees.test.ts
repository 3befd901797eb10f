import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fragmentOf } from './option-cache.ts';
import { parseIntegers, renderEmployees } from './render-employees.ts';
import type { EmployeeRow } from './employees-page.ts';

interface Attribute {
  id: number;
  name: string;
  attribute_values: { id: number; name: string }[];
}

// Every kind of text that PostgreSQL can store: quotes, backslashes, control characters, any
// script.
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\u0000\u001f\u007f', '\u2028', '</script>', '😀é'),
);
const nullable = fc.option(text);
const id = fc.integer({ min: 1, max: 2 ** 31 - 1 });

const attribute: fc.Arbitrary<Attribute> = fc.record({
  id,
  name: text,
  attribute_values: fc.array(fc.record({ id, name: text }), { minLength: 1, maxLength: 3 }),
});
const employee = fc.record({
  id: fc.maxSafeNat(),
  import_id: nullable,
  email: text,
  firstname: nullable,
  lastname: nullable,
  role: nullable,
  is_deleted: fc.boolean(),
  attributes: fc.uniqueArray(attribute, { selector: (each) => each.id, maxLength: 4 }),
});
type Employee = typeof employee extends fc.Arbitrary<infer T> ? T : never;

// An option has one name, so options that are drawn with the same id get different ids.
const employees = fc.array(employee, { maxLength: 5 }).map((drawn) => {
  let next = 1;
  for (const each of drawn)
    for (const { attribute_values } of each.attributes) for (const option of attribute_values) option.id = next++;
  return drawn;
});

test('renders what JSON.stringify returns for plain objects', () => {
  fc.assert(
    fc.property(fc.nat(), employees, (total_count, employees) => {
      expect(render(total_count, employees)).toBe(JSON.stringify({ total_count, employees }));
    }),
  );
});

const NOBODY: Employee = {
  id: 1,
  import_id: null,
  email: '',
  firstname: null,
  lastname: null,
  role: null,
  is_deleted: false,
  attributes: [],
};

test('throws when an option has no name, rather than omitting it', () => {
  const row = rowOf(NOBODY);
  expect(() => [...renderEmployees({ totalCount: 1, rows: [row] }, [[7]], new Map())]).toThrow('option 7');
});

test('returns a large page in several chunks', () => {
  const large = { ...NOBODY, firstname: 'a'.repeat(300_000) };
  const pieces = [...renderEmployees({ totalCount: 2, rows: [rowOf(large), rowOf(large)] }, [[], []], new Map())];
  expect(pieces).toHaveLength(3);
  expect(pieces.join('')).toBe(JSON.stringify({ total_count: 2, employees: [large, large] }));
});

test('parses integers from the text of a PostgreSQL array', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 2 ** 31 - 1 })), (numbers) => {
      expect(parseIntegers(`{${numbers.join(',')}}`)).toEqual(numbers);
    }),
  );
});

function render(totalCount: number, employees: readonly Employee[]): string {
  const attributes = employees.flatMap((each) => each.attributes);
  const fragments = new Map(
    attributes.flatMap((each) =>
      each.attribute_values.map((option) => [option.id, fragmentOf([option.id, option.name, each.id, each.name])]),
    ),
  );
  const optionIds = employees.map((each) => each.attributes.flatMap((one) => one.attribute_values.map((option) => option.id)));
  return [...renderEmployees({ totalCount, rows: employees.map(rowOf) }, optionIds, fragments)].join('');
}

function rowOf(each: Employee): EmployeeRow {
  const { import_id, email, firstname, lastname, role, is_deleted } = each;
  return [String(each.id), import_id, email, firstname, lastname, role, String(is_deleted), '{}', 0, 0, 1];
}
