import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWords } from '@survey/text/words/read-words.ts';
import { splitClauses } from './weigh-clauses.ts';
import { weighClauses } from './weigh-clauses.ts';

function clausesOf(language: string, text: string): readonly string[] {
  const words = readWords(text, language);
  return splitClauses(words, language).map(({ start, end }) =>
    words
      .slice(start, end)
      .map(({ folded }) => folded)
      .join(' '),
  );
}

describe('clauses', () => {
  it.each([
    ['en', 'The team is great but the pay is low.', ['the team is great', 'but the pay is low']],
    ['de', 'Das Team ist toll, aber das Gehalt niedrig', ['das team ist toll', 'aber das gehalt niedrig']],
    ['fr', "L'équipe est super mais le salaire est bas", ['l equipe est super', 'mais le salaire est bas']],
    ['es', 'El equipo es genial aunque el sueldo es bajo', ['el equipo es genial', 'aunque el sueldo es bajo']],
    ['nl', 'Het team is super hoewel het loon laag is', ['het team is super', 'hoewel het loon laag is']],
    ['en', 'A work-life balance of 3.5 (out of 5)', ['a work life balance of 3 5', 'out of 5']],
  ])('%s: %s', (language, text, expected) => expect(clausesOf(language, text)).toEqual(expected));

  it('contain every word once, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom('en', 'de', 'xx'), (text, language) => {
        const words = readWords(text, language);
        const clauses = splitClauses(words, language);
        expect(clauses.flatMap(({ start, end }) => words.slice(start, end))).toEqual(words);
      }),
    );
  });
});

it("weighs the topic's clause most, then its sentence, then the rest; all equally when no clause names the topic", () => {
  const words = readWords('The weather is fine. The pay is low, the work hard.', 'en');
  const clauses = splitClauses(words, 'en');
  const [other = 0, named = 0, near = 0] = weighClauses(clauses, [words.findIndex(({ folded }) => folded === 'pay')]);
  expect(named).toBeGreaterThan(near);
  expect(near).toBeGreaterThan(other);
  expect(new Set(weighClauses(clauses, [])).size).toBe(1);
});
