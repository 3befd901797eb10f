import { normalise } from '../words/normalise.ts';
import { findAddresses } from './addresses/addresses.ts';
import { findEmails } from './emails.ts';
import { findCuedIds } from './ids/cued-ids.ts';
import { findNetworkAddresses, findPersonalMarks } from './ids/personal-marks.ts';
import { maskText, unmaskedOffset } from './mask-text.ts';
import type { AnswerToMask, Masker, Span } from './masker.ts';
import { findNames } from './names/names.ts';
import { findExtensions, findNumbers } from './numbers/numbers.ts';
import { certaintiesOf, findOtherNumbers, isMonth, isOtherNumber } from './numbers/other-numbers.ts';
import { withoutOverlaps } from './without-overlaps.ts';

const GENERATION = 12;
// What a recogniser needs: a text without it only takes time.
const MARK_HINT = /[\d@/:=]/;
const DIGIT_HINT = /\d/;
const NETWORK_HINT = /:[^:]{0,4}:|\d\.\d{1,3}\./;
const LONG_NUMBER = /\d(?:\D{0,3}\d){5}/;

/** Masks in this process, with the lists and rules of this package. Linear in the text. */
export const embeddedMasker: Masker = {
  version: `embedded-${GENERATION}`,
  generation: GENERATION,
  find: (answer) => Promise.resolve(findInAnySpelling(answer)),
};

function findInAnySpelling(answer: AnswerToMask): readonly Span[] {
  const { text, rangeOf } = normalise(answer.text);
  return findSpans({ ...answer, text }).map((span) => ({ ...span, ...rangeOf(span.start, span.end) }));
}

// In order of priority, names last: where spans overlap, the earlier one wins, whichever categories
// are requested. An e-mail address contains no name even if e-mail addresses remain visible, so a
// subset of the categories masks exactly its subset of the spans.
function findSpans(answer: AnswerToMask): readonly Span[] {
  const { text, language, categories } = answer;
  let patternSpans = findEmails(text);
  if (MARK_HINT.test(text)) patternSpans = patternSpans.concat(findPersonalMarks(text));
  if (DIGIT_HINT.test(text)) patternSpans = patternSpans.concat(findValuesWithDigits(text, language));
  const values = withoutOverlaps(patternSpans, text);
  const names = withoutNumberedThings(findNamesBeside(values, answer), text);
  return [...values, ...names].filter(({ category }) => categories.has(category)).sort((one, other) => one.start - other.start);
}

function findValuesWithDigits(text: string, language: string): readonly Span[] {
  let announced = [...findCuedIds(text), ...findExtensions(text), ...findAddresses(text)];
  if (NETWORK_HINT.test(text)) announced = findNetworkAddresses(text).concat(announced);
  // Most numbers are short, and nothing announces them.
  if (announced.length === 0 && !LONG_NUMBER.test(text)) return announced;
  const { personal, otherCertainties } = findNumbers(text, language);
  return [...personal, ...announced.filter((span) => !isOtherNumber(text, span, otherCertainties))];
}

/**
 * Leaves out spans of numbered things, such as `Halle 3` and `3 Mio. Euro`, unless they are names
 * of the roster.
 */
export function withoutNumberedThings(spans: readonly Span[], text: string): readonly Span[] {
  let others: Float32Array | undefined;
  return spans.filter((span) => {
    // Saves time: without a digit, only a range of months is one.
    const isNoThing = !DIGIT_HINT.test(text) && !isMonth(text.slice(span.start, span.end));
    if (isNoThing || span.source === 'roster') return true;
    others ??= certaintiesOf(findOtherNumbers(text), text);
    return !isOtherNumber(text, span, others);
  });
}

// Names are sought where the other values are masked, so that their capitals do not count and a
// second masking finds no more.
function findNamesBeside(values: readonly Span[], answer: AnswerToMask): Span[] {
  const names = findNames({ ...answer, text: maskText(answer.text, values) });
  return names.map((span) => ({
    ...span,
    start: unmaskedOffset(span.start, values),
    end: unmaskedOffset(span.end, values),
  }));
}
