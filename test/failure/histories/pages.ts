import { z } from 'zod';
import { optionsOf, optionId } from '../../support/scales.ts';
import { cycle, question, response, survey, uuidOf } from '../../support/facts.ts';
import type { Fact } from '@survey/proto/intake/v1/intake.ts';
import type { FactKind } from '@survey/bus/streams.ts';
import type { SentRecord } from '../../support/import/organisation.ts';

// What is written, and which version a response shows.

/** Each version has one employee more than the one before; version 0 is an empty list. */
export const EMPLOYEES = 120;
/** Answers of version 0, so that every response is released. */
export const ANSWERS = 5;
/** Employees who can answer, each once. */
export const RESPONDENTS = 10_000;

/** What a response shows of one register. */
export interface Shown {
  readonly version: number;
  readonly contradiction?: string | undefined;
}

/** A list or a score with the register that it shows. */
export interface Page {
  readonly path: string;
  readonly read: (body: unknown) => Shown;
}

/** Returns the snapshot of a version: an attribute of all employees has its number. */
export function snapshotOf(version: number): SentRecord[] {
  return Array.from({ length: EMPLOYEES + version }, (_, index) => ({
    import_id: `V${index + 1}`,
    email: `v${index + 1}@x.io`,
    firstname: 'Ann',
    lastname: 'Lee',
    attributes: [{ name: 'Version', value: { name: String(version) } }],
  }));
}

/** Returns the facts that precede all answers. */
export function factsBefore(): (readonly [FactKind, Fact])[] {
  return [
    ['survey', survey(1, { score_threshold: 3, text_threshold: 3 })],
    ['question', question(11, { type: 'stars', answer_options: optionsOf(11) })],
    ['question', question(15)],
    ['cycle', cycle(uuidOf(1))],
    ...Array.from({ length: ANSWERS }, (_, index) => ['response', answerOf(index + 1)] as const),
  ];
}

/** Returns the fact of a version: the answer of one more respondent. */
export const answerOfVersion = (version: number): Fact => answerOf(ANSWERS + version);

function answerOf(n: number): Fact {
  const stars = { question_id: 11, option_ids: [optionId(11, n % 3 === 0 ? 1 : 5)] };
  return response(uuidOf(1_000 + n), {
    employee: { id: n },
    answers: [stars, { question_id: 15, option_ids: [], text: `Write to ann.lee@example.com about answer ${n}` }],
  });
}

const employees = z.object({
  total_count: z.int(),
  employees: z.array(z.object({ attributes: z.array(z.object({ attribute_values: z.array(z.object({ name: z.string() })) })) })),
});

export function employeesPage(offset: number, limit: number): Page {
  return {
    path: `/v1/employees?limit=${limit}&offset=${offset}`,
    read: (body) => {
      const page = employees.parse(body);
      // Before the first import there is nobody.
      const version = Math.max(0, page.total_count - EMPLOYEES);
      const shown = page.employees.map(({ attributes }) => attributes[0]?.attribute_values[0]?.name ?? 'none');
      const others = [...new Set(shown)].filter((name) => name !== String(version));
      const due = Math.min(limit, Math.max(0, page.total_count - offset));
      if (others.length > 0) return { version, contradiction: `total_count of version ${version}, rows of ${others.join(', ')}` };
      if (shown.length === due) return { version };
      return { version, contradiction: `${shown.length} rows instead of ${due} of version ${version}` };
    },
  };
}

const texts = z.object({ total_count: z.int(), responses: z.array(z.object({ text: z.string() })) });

/** Returns a page of the texts of answers 1 to total_count. */
export function textsPage(offset: number, limit: number): Page {
  return {
    path: textsPath(offset, limit),
    read: (body) => {
      const { total_count: total, responses } = texts.parse(body);
      const version = total - ANSWERS;
      const numbers = responses.map(({ text }) => Number(/^Write to ann\.lee@example\.com about answer (\d+)$/.exec(text)?.[1]));
      const foreign = numbers.filter((n) => !(n <= total)).length;
      if (foreign > 0) return { version, contradiction: `${foreign} texts that version ${version} does not have` };
      return { version, contradiction: differs(new Set(numbers).size, total, { offset, limit }) };
    },
  };
}

/** Returns a page of masked texts, which a masker may finish in any order. */
export function maskedTextsPage(offset: number, limit: number): Page {
  return {
    path: textsPath(offset, limit),
    read: (body) => {
      const { total_count: total, responses } = texts.parse(body);
      const version = Math.max(0, total - ANSWERS);
      const unmasked = responses.filter(({ text }) => text.includes('ann.lee')).length;
      if (unmasked > 0) return { version, contradiction: `${unmasked} texts are not masked` };
      return { version, contradiction: differs(responses.length, total, { offset, limit }) };
    },
  };
}

const textsPath = (offset: number, limit: number): string => `/v1/text_responses?limit=${limit}&offset=${offset}`;

function differs(shown: number, total: number, { offset, limit }: { offset: number; limit: number }): string | undefined {
  const due = Math.min(limit, Math.max(0, total - offset));
  return shown === due ? undefined : `${shown} texts instead of ${due} of ${total}`;
}

const score = z.object({ score: z.number().nullable(), respondents: z.int(), suppressed: z.boolean() });

/** Returns a reader of scores. Each number of respondents has one score. */
export function scorePages(): () => Page {
  const scores = new Map<number, number | null>();
  return () => ({
    path: '/v1/scores?question_ids=11&period_from=2000-01-01T00:00:00Z&period_to=2100-01-01T00:00:00Z',
    read: (body) => {
      const found = score.parse(body);
      const version = found.respondents - ANSWERS;
      const before = scores.get(version);
      if (before === undefined) scores.set(version, found.score);
      else if (before !== found.score)
        return { version, contradiction: `the score ${found.score} of version ${version}, which had ${before}` };
      return { version };
    },
  });
}
