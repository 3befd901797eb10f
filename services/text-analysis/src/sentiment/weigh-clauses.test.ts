import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWords } from '@survey/text/words/read-words.ts';
import { clauseShares, splitClauses } from './weigh-clauses.ts';

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
    ['fr', 'Ce n’est pas bien', ['ce n est pas bien']],
    ['en', 'the team 👍 the pay 👎', ['the team 👍', 'the pay 👎']],
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

describe('the shares of clauses', () => {
  const sharesOf = (text: string, topic: string, says?: readonly boolean[]) => {
    const words = readWords(text, 'en');
    const start = words.findIndex(({ folded }) => folded === topic);
    return clauseShares(splitClauses(words, 'en'), start < 0 ? [] : [{ start, end: start + 1 }], says);
  };

  it("are highest for the topic's clause, then its sentence, then the rest; equal when no clause names it", () => {
    const [other = 0, named = 0, near = 0] = sharesOf('The weather is fine. The pay is low, the work hard.', 'pay');
    expect(named).toBeGreaterThan(near);
    expect(near).toBeGreaterThan(other);
    expect(new Set(sharesOf('The weather is fine. The work is hard.', 'pay')).size).toBe(1);
  });

  it('of a clause that says nothing go to the next one, or else to the one before', () => {
    expect(sharesOf('Canteen: too loud', 'canteen', [false, true])).toEqual([0, 1]);
    expect(sharesOf('Too loud, the canteen', 'canteen', [true, false])).toEqual([1, 0]);
  });
});
