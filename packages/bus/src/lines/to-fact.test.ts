import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { describe, expect, it } from 'vitest';
import { readLine } from './read-line.ts';
import { toFact } from './to-fact.ts';

// Returns the fact as a service receives it.
function received(line: object): Fact {
  const reading = readLine(JSON.stringify(line));
  if ('reason' in reading) throw new Error(reading.reason);
  return Fact.decode(Fact.encode(toFact(reading.line, 12)).finish());
}

describe('a fact', () => {
  it('carries the revision and the number of its line', () => {
    expect(received({ kind: 'topic', name: 'Pay', revision: 3 })).toMatchObject({
      revision: 3,
      line: 12,
      topic: { name: 'Pay' },
    });
  });

  it('distinguishes absent properties', () => {
    const { employee } = received({ kind: 'employee', id: 1, email: 'a@example.com', created_via: 'hcm', lastname: null });
    expect(employee).toMatchObject({ is_deleted: false, attributes: [] });
    expect(employee?.lastname).toBeNull();
    expect(employee?.supervisor).toBeNull();
  });

  it('refers to an employee in both ways, with a bare number as an id', () => {
    const { survey } = received({
      kind: 'survey',
      id: 1,
      name: { en: 'Pulse' },
      frequency: 'monthly',
      created_at: '2026-01-05T08:00:00Z',
      is_archived: false,
      is_deactivated: false,
      permissions: { employees_with_access_to_results: [3, { id: 4 }, { import_id: 'E5' }] },
      survey_properties: [],
      timezone: 'UTC',
    });
    expect(survey?.employees_with_access_to_results).toEqual([
      { id: 3, import_id: null },
      { id: 4, import_id: null },
      { id: null, import_id: 'E5' },
    ]);
  });
});

describe('an edit of an employee', () => {
  it('contains the set properties, and names the cleared ones', () => {
    const { employee, employee_edit } = received({
      kind: 'employee',
      employee: { import_id: 'E1' },
      firstname: 'Kim',
      role: null,
      supervisor: null,
      is_deleted: false,
      attributes: [
        { name: 'Country', value: null },
        { name: 'Skills', value: 'First aid' },
        { name: 'Skills', value: 'Welding' },
      ],
    });
    expect(employee).toBeNull();
    expect(employee_edit).toMatchObject({ employee: { import_id: 'E1' }, firstname: 'Kim', is_deleted: false });
    expect(employee_edit?.cleared).toEqual(['role', 'supervisor']);
    expect(employee_edit?.lastname).toBeNull();
    expect(employee_edit?.attributes.map(({ value }) => value ?? null)).toEqual([null, 'First aid', 'Welding']);
  });
});

describe('a response', () => {
  it('keeps the order of options, which is the rank, and the unchanged text', () => {
    const { response } = received({
      kind: 'response',
      id: '12345678-1234-1234-1234-123456789012',
      survey_id: 1,
      cycle_id: '12345678-1234-1234-1234-123456789013',
      employee: { id: 1 },
      submitted_at: '2026-01-05T08:00:00Z',
      answers: [
        { question_id: 1, option_ids: [3, 1, 2] },
        { question_id: 2, text: ' 👍🏽\n' },
      ],
    });
    expect(response?.answers).toEqual([
      { question_id: 1, option_ids: [3, 1, 2], text: null },
      { question_id: 2, option_ids: [], text: ' 👍🏽\n' },
    ]);
  });
});
