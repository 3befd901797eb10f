import { expect, it } from 'vitest';
import { unitOf } from './requested-questions.ts';

// Asks for that many questions, of which those with these types exist.
const ask = (count: number, ...types: string[]) =>
  unitOf(
    new Set(Array.from({ length: count }, (_, id) => id)),
    types.map((type) => ({ type })),
  );

it('names the unit of a score, or the reason why there is none [SCORES-QUERY-2]', () => {
  expect(ask(2, 'stars', 'ranked_select')).toBe('favorability_percent');
  expect(ask(2, 'nps', 'nps')).toBe('enps');
  expect(ask(2, 'stars', 'nps')).toEqual({ reason: 'mixes eNPS questions and others: request each kind separately' });
  const noText = 'names a question that is not scorable: free-text answers have no value';
  expect(ask(2, 'stars', 'textfield')).toEqual({ reason: noText });
});

it('says first that a question does not exist [SCORES-QUERY-4]', () => {
  expect(ask(2, 'textfield')).toEqual({ reason: 'names a question that does not exist' });
  expect(ask(3, 'stars', 'nps')).toEqual({ reason: 'names a question that does not exist' });
});
