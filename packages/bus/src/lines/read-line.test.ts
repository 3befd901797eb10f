import { describe, expect, it } from 'vitest';
import { readLine } from './read-line.ts';
import { factReasonText } from './reasons.ts';

const cycle = { kind: 'cycle', id: '12345678-1234-1234-1234-123456789012', survey_id: 1, opened_at: '2026-01-05T08:00:00+01:00' };
const employee = { kind: 'employee', id: 7, email: 'a@example.com', created_via: 'app' };
const response = { kind: 'response', id: cycle.id, survey_id: 1, cycle_id: cycle.id, employee: { id: 1 } };
const assignment = { kind: 'assignment', id: 1, survey_id: 1, created_at: '2026-01-05T08:00:00Z' };

const reasonOf = (line: object): string | undefined => {
  const reading = readLine(JSON.stringify(line));
  return 'reason' in reading ? factReasonText(reading.reason) : undefined;
};

describe('a line', () => {
  it('has revision 0 by default', () => {
    expect(readLine(JSON.stringify(cycle))).toMatchObject({ line: { revision: 0 } });
    expect(readLine(JSON.stringify({ ...cycle, revision: 5 }))).toMatchObject({ line: { revision: 5 } });
  });

  it('accepts null where a property is optional', () => {
    expect(reasonOf({ ...cycle, closed_at: null })).toBeUndefined();
    expect(reasonOf({ ...employee, firstname: null, attributes: null, is_deleted: null })).toBeUndefined();
  });

  it.each([
    ['x', 'is not JSON'],
    ['[]', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['{"kind":"employee_edit"}', /^kind must be one of survey, question/],
    ['{}', /^kind must be one of/],
    ['{"kind":7}', /^kind must be one of/],
  ])('is not %s', (json, reason) => {
    const reading = readLine(json);
    expect(reading).toMatchObject({ kind: undefined });
    expect('reason' in reading && factReasonText(reading.reason)).toMatch(reason);
  });

  it('has its kind even when another part is invalid', () => {
    expect(readLine('{"kind":"topic"}')).toEqual({ kind: 'topic', reason: 'invalid:name missing' });
  });
});

describe('the fault of a line', () => {
  it.each([
    ['an unknown property', { ...cycle, timezone: 'UTC' }, 'has a property that is not known: timezone'],
    ['one at depth', { ...employee, attributes: [{ name: 'A', value: 'B', id: 1 }] }, /^attributes\/0 has a property .*: id$/],
    ['another type', { ...cycle, survey_id: '1' }, 'survey_id must be a number'],
    ['a fraction', { ...cycle, survey_id: 1.5 }, 'survey_id must be an integer'],
    ['no UUID', { ...cycle, id: 'c1' }, 'id must be a UUID'],
    ['no date-time', { ...cycle, opened_at: '2026-01-05' }, /^opened_at must be an RFC 3339 date-time/],
    ['U+0000', { kind: 'topic', name: 'a\0b' }, /^name must hold neither/],
    ['half a surrogate pair', { kind: 'topic', name: 'a\ud800' }, /^name must hold neither/],
    ['a blank name', { kind: 'topic', name: ' ' }, 'name must not be blank'],
    ['an invisible name [IMPORT-REQUEST-TEXTS-2]', { kind: 'topic', name: '\u{2060}' }, 'name must not be blank'],
    ['a long name of a person', { ...employee, lastname: 'a'.repeat(256) }, /^lastname .*255/],
    ['a long description', { kind: 'topic', name: 'a', description: 'a'.repeat(10_001) }, /^description .*10000/],
    ['more than 1,000 keywords', { kind: 'topic', name: 'a', keywords: { de: Array(1_001).fill('b') } }, /^keywords\/de /],
    ['no ISO 639-1 code', { kind: 'topic', name: 'a', keywords: { deu: [] } }, /^keywords\/deu has a key/],
    ['an id of the import API', { ...employee, id: 1_000_000_000 }, 'id must be below 1000000000'],
    ['the import API', { ...employee, created_via: 'import_api' }, 'created_via must be one of app, file, sftp, hcm'],
    ['a reference to nobody', { ...assignment, employee: {} }, /^employee must be \{"id": number\} or/],
    ['a reference to two', { ...assignment, employee: { id: 1, import_id: 'E1' } }, /^employee must be/],
    ['an edit to null of what cannot be null', { kind: 'employee', employee: { id: 1 }, email: null }, 'email must be a string'],
    ['an edit of what the import API alone says', { kind: 'employee', employee: { id: 1 }, created_via: 'app' }, /created_via$/],
  ])('is %s', (_name, line, reason) => {
    expect(reasonOf(line)).toMatch(reason);
  });

  it('is an answer with more than 1,000 options', () => {
    const answers = [{ question_id: 1, option_ids: Array.from({ length: 1_001 }, (_, nth) => nth + 1) }];
    expect(reasonOf({ ...response, submitted_at: cycle.opened_at, answers })).toMatch(/^answers\/0\/option_ids /);
  });

  it('is a text of more than 100,000 characters [TEXTS-FIELDS-3]', () => {
    const withText = (text: string) => ({
      ...response,
      submitted_at: cycle.opened_at,
      answers: [{ question_id: 1, option_ids: [], text }],
    });
    for (const letter of ['a', '😀']) {
      expect(reasonOf(withText(letter.repeat(100_000)))).toBeUndefined();
      expect(reasonOf(withText(letter.repeat(100_001)))).toBe('answers/0/text must have at most 100000 characters');
    }
  });

  it('names three problems, without values', () => {
    const secret = 'jane.doe@example.com';
    const reason = reasonOf({ ...employee, id: secret, language: secret, role: 7, created_via: secret });
    expect(reason).toMatch(/^id .*; role .*; language .*; and 1 more$/);
    expect(reason).not.toContain(secret);
  });
});
