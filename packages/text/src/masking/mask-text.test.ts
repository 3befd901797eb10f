import { expect, test } from 'vitest';
import { maskText, unmaskedOffset } from './mask-text.ts';
import { PERSONAL_CATEGORIES } from './masker.ts';

const span = (start: number, end: number, category: (typeof PERSONAL_CATEGORIES)[number]) => ({
  start,
  end,
  category,
  source: 'test',
  confidence: 1,
});

test('replaces each value by the token of its category', () => {
  const masked = PERSONAL_CATEGORIES.map((category) => maskText('a VALUE b', [span(2, 7, category)]));

  expect(masked).toEqual(['a [NAME] b', 'a [EMAIL] b', 'a [PHONE] b', 'a [ADDRESS] b', 'a [ID] b']);
});

test('leaves the rest unchanged around adjacent spans and spans at both ends', () => {
  expect(maskText('ab\u0301cd', [span(0, 1, 'name'), span(1, 2, 'id'), span(4, 5, 'phone')])).toBe('[NAME][ID]\u0301c[PHONE]');
});

test('leaves a text without spans unchanged', () => expect(maskText('\uD800 as it was', [])).toBe('\uD800 as it was'));

test('finds the place of every character outside spans again', () => {
  const text = 'ab cdefghij kl mn op';
  // Longer and shorter than their tokens, and one that begins where the text before it ends.
  const spans = [span(3, 11, 'id'), span(12, 14, 'name'), span(15, 17, 'email')];
  const ends = [0, 1, 2, 3, 11, 12, 14, 15, 17, 18, 19, 20];
  const masked = ends.map(
    (at) =>
      maskText(
        text.slice(0, at),
        spans.filter(({ end }) => end <= at),
      ).length,
  );
  expect(masked.map((offset) => unmaskedOffset(offset, spans))).toEqual(ends);
});
