import { asIncoming } from '@survey/bus/facts/fact.ts';
import type { LineOf } from '@survey/bus/lines/from-fact.ts';
import { describe, expect, it } from 'vitest';
import { type EmployeeFact, parseEmployeeFact } from './employee-fact.ts';

const incoming = asIncoming({ revision: 3, line: 7 }, 2);
const read = (content: LineOf<'employee'>): EmployeeFact => parseEmployeeFact({ ...incoming, content });

const WHOLE = { kind: 'employee', revision: 3, id: 1, email: ' a@x.io ', created_via: 'file' } as const;
const EDIT = { kind: 'employee', revision: 3, employee: { import_id: 'E1' } } as const;

describe('a fact with all fields', () => {
  it('states that fields are empty that it does not have', () => {
    expect(read(WHOLE)).toEqual({
      ...incoming,
      employee: { id: 1 },
      fullEmployee: { created_via: 'file', import_id: null },
      fields: { email: 'a@x.io', firstname: null, lastname: null, role: null, language: null, is_deleted: false },
      attributes: [],
      supervisor: null,
    });
  });

  it('states the fields that it has', () => {
    const fields = { firstname: 'Ada', lastname: 'Oak', role: 'Admin', language: 'de', is_deleted: true } as const;
    expect(read({ ...WHOLE, ...fields, import_id: 'E1', supervisor: { id: 2 } })).toMatchObject({
      fullEmployee: { created_via: 'file', import_id: 'E1' },
      fields,
      supervisor: { id: 2 },
    });
  });
});

describe('an edit', () => {
  it('states nothing of fields that it does not have', () => {
    expect(read(EDIT)).toStrictEqual({
      ...incoming,
      employee: { import_id: 'E1' },
      fullEmployee: undefined,
      fields: {},
      attributes: [],
      supervisor: undefined,
    });
  });

  it('states which fields are empty', () => {
    const fields = { firstname: 'Ada', lastname: null, role: null, language: 'de', is_deleted: false } as const;
    expect(read({ ...EDIT, ...fields, email: ' a@x.io ', supervisor: null })).toMatchObject({
      fields: { ...fields, email: 'a@x.io' },
      supervisor: null,
    });
  });

  it('joins the entries of one attribute, under the first of its spellings in order', () => {
    const entry = (name: string, value: string | null) => ({ name, value });
    const attributes = [
      entry('team', 'Se\u0301curite\u0301'),
      entry(' Team ', 'B'),
      entry('TEAM', 'B'),
      entry('Teams', null),
      entry('tEAM', null),
    ];
    expect(read({ ...EDIT, attributes }).attributes).toEqual([
      { key: 'team', name: 'TEAM', values: ['S\u00e9curit\u00e9', 'B'] },
      { key: 'teams', name: 'Teams', values: [] },
    ]);
  });
});
