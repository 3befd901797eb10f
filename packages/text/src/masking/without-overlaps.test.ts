import { expect, it } from 'vitest';
import type { Span } from './masker.ts';
import { withoutOverlaps } from './without-overlaps.ts';

const span = (start: number, end: number, category: Span['category']): Span => ({
  start,
  end,
  category,
  source: 'test',
  confidence: 1,
});

it('sorts spans by their place, whichever is more certain', () => {
  const [email, phone] = [span(12, 15, 'email'), span(5, 9, 'phone')];
  expect(withoutOverlaps([email, phone], 'Call 5550 or a@b')).toEqual([phone, email]);
});

it('keeps what is left of the less certain of two, unless that is only signs', () => {
  const [id, phone] = [span(2, 6, 'id'), span(0, 10, 'phone')];
  expect(withoutOverlaps([id, phone], 'A 1234 567')).toEqual([span(0, 2, 'phone'), id, span(6, 10, 'phone')]);
  expect(withoutOverlaps([id, phone], '( 1234 / )')).toEqual([id]);
});
