import { asIncoming } from '@survey/bus/facts/fact.ts';
import { expect, it } from 'vitest';
import { namedIds } from './dictionary-ids.ts';
import { Dictionary } from './dictionary.ts';
import { draftOf, type StoredEmployee } from './draft.ts';
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
