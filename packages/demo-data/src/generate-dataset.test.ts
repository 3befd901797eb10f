import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Line } from '@survey/bus/lines/line.ts';
import { readLine } from '@survey/bus/lines/read-line.ts';
import type { OrganisationSize } from './organisation.ts';
import { datasetChunks } from './write-dataset.ts';

const SIZE: OrganisationSize = { employees: 600, months: 3, seed: 7 };

function hashOf(size: OrganisationSize): string {
  const hash = createHash('sha256');
  for (const chunk of datasetChunks(size)) hash.update(chunk);
  return hash.digest('hex');
}

function linesOf(size: OrganisationSize): Line[] {
  return [...datasetChunks(size)]
    .join('')
    .trimEnd()
    .split('\n')
    .map((json) => {
      const reading = readLine(json);
      if ('reason' in reading) throw new Error(`${reading.reason}: ${json}`);
      return reading.line;
    });
}

const lines = linesOf(SIZE);
const ofKind = <K extends Line['kind']>(kind: K) =>
  lines.filter((line): line is Extract<Line, { kind: K }> => line.kind === kind);
const idsOf = (kind: 'survey' | 'question' | 'cycle' | 'response') => new Set(ofKind(kind).map(({ id }) => id));

describe('a generated dataset', () => {
  it('is the same for the same seed, and differs for another', () => {
    expect(hashOf(SIZE)).toBe(hashOf(SIZE));
    expect(hashOf({ ...SIZE, seed: 8 })).not.toBe(hashOf(SIZE));
  });

  it.each([1, 2, 9])('is valid for %i employees', (employees) => {
    expect(linesOf({ employees, months: 1, seed: 1 }).length).toBeGreaterThan(50);
  });

  it('has every kind of line and every type of question', () => {
    expect(new Set(lines.map(({ kind }) => kind)).size).toBe(9);
    expect([...new Set(ofKind('question').map(({ type }) => type))].sort()).toEqual(
      ['multiple_select', 'nps', 'ranked_select', 'single_select', 'smiley_faces', 'stars', 'textfield'].sort(),
    );
  });

  it('has answers that something does not apply, which are outside the score [SCORES-EDITS-2]', () => {
    const options = ofKind('question').flatMap(({ answer_options }) => answer_options);
    const outside = new Set(options.filter(({ counts }) => counts === false).map(({ id }) => id));
    const chosen = ofKind('response').flatMap(({ answers }) => answers.flatMap((answer) => answer.option_ids ?? []));
    expect(outside.size).toBeGreaterThan(0);
    expect(chosen.filter((id) => outside.has(id ?? 0)).length).toBeGreaterThan(0);
  });

  it('has an archived survey, a deactivated one and a deleted question', () => {
    expect(ofKind('survey').some(({ is_archived, archived_at }) => is_archived && typeof archived_at === 'string')).toBe(true);
    expect(ofKind('survey').some(({ is_deactivated }) => is_deactivated)).toBe(true);
    expect(ofKind('question').some(({ is_deleted }) => is_deleted)).toBe(true);
  });

  it('has initiatives in every state, assignments that ended, edits of both kinds of employees', () => {
    expect(new Set(ofKind('initiative').map(({ status }) => status)).size).toBe(4);
    expect(ofKind('assignment').some(({ deleted_at }) => typeof deleted_at === 'string')).toBe(true);
    const edited = ofKind('employee').flatMap((line) => ('employee' in line ? Object.keys(line.employee) : []));
    expect(new Set(edited)).toEqual(new Set(['id', 'import_id']));
  });

  it('refers only to existing objects', () => {
    const [surveys, questions, cycles, responses] = [idsOf('survey'), idsOf('question'), idsOf('cycle'), idsOf('response')];
    const answers = ofKind('response').flatMap((response) => response.answers);
    expect(ofKind('question').filter(({ survey_id }) => !surveys.has(survey_id))).toEqual([]);
    expect(ofKind('assignment').filter(({ survey_id }) => !surveys.has(survey_id))).toEqual([]);
    expect(ofKind('response').filter(({ cycle_id }) => !cycles.has(cycle_id))).toEqual([]);
    expect(answers.filter(({ question_id }) => !questions.has(question_id))).toEqual([]);
    expect(ofKind('topic_assignment').filter(({ response_id }) => !responses.has(response_id))).toEqual([]);
    const assigned = ofKind('assignment').flatMap(({ employee }) => ('import_id' in employee ? [employee.import_id] : []));
    expect(assigned.filter((importId) => Number(importId.slice(1)) > SIZE.employees)).toEqual([]);
  });
});

describe('generated responses', () => {
  const answers = ofKind('response').map(({ answers }) => new Map(answers.map((answer) => [answer.question_id, answer])));
  const pairs = answers.flatMap((given) => {
    const [proud, recommend] = [101, 102].map((question) => given.get(question)?.option_ids?.[0]);
    return proud === undefined || recommend === undefined ? [] : [[proud - 10_101, recommend - 10_201] as const];
  });

  it('correlate: proud respondents also recommend', () => {
    const average = (some: readonly (readonly [number, number])[]) =>
      some.reduce((sum, [, recommend]) => sum + recommend, 0) / some.length;
    const proud = pairs.filter(([stars]) => stars === 4);
    const ashamed = pairs.filter(([stars]) => stars <= 1);
    expect(average(proud) - average(ashamed)).toBeGreaterThan(1.5);
  });

  it('are written in five languages', () => {
    const texts = answers.flatMap((given) => given.get(108)?.text ?? []).join(' ');
    for (const word of [' the ', ' und ', ' les ', ' los ', ' het ']) expect(texts).toContain(word);
  });

  it('are unique, and within their cycle', () => {
    const cycles = new Map(ofKind('cycle').map((cycle) => [cycle.id, cycle]));
    expect(idsOf('response').size).toBe(ofKind('response').length);
    for (const { cycle_id, submitted_at } of ofKind('response')) {
      const { opened_at, closed_at } = cycles.get(cycle_id) ?? {};
      expect(submitted_at >= (opened_at ?? '9') && submitted_at <= (closed_at ?? '9')).toBe(true);
    }
  });
});
