import { normalise } from '../words/normalise.ts';
import { findAddresses } from './addresses/addresses.ts';
import { findEmails } from './emails.ts';
import { findCuedIds } from './ids/cued-ids.ts';
import { findNetworkAddresses, findPersonalMarks } from './ids/personal-marks.ts';
import { maskText, unmaskedOffset } from './mask-text.ts';
import { PERSONAL_CATEGORIES, type AnswerToMask, type Masker, type Span } from './masker.ts';
import { findNames } from './names/names.ts';
import { lookAt, type TextLooks } from './text-looks.ts';
import { findExtensions, findNumbers, MIN_DIGITS } from './numbers/numbers.ts';
import { certaintiesOf, findOtherNumbers, isMonth, isOtherNumber } from './numbers/other-numbers.ts';
import { withoutOverlaps } from './without-overlaps.ts';

const GENERATION = 11;

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
  const looks = lookAt(text);
  const patternSpans = [
    ...findEmails(text),
    ...(looks.digits > 0 || looks.isAddressed || looks.colons > 0 ? findPersonalMarks(text) : []),
    ...(looks.digits > 0 ? findValuesWithDigits(text, language, looks) : []),
  ];
  const values = patternSpans.length < 2 ? patternSpans : withoutOverlaps(patternSpans, text);
  const names = categories.has('name') ? withoutNumberedThings(findNamesBeside(values, answer), text) : [];
  const spans = values.length === 0 ? names : [...values, ...names].sort((one, other) => one.start - other.start);
  return categories.size === PERSONAL_CATEGORIES.length ? spans : spans.filter(({ category }) => categories.has(category));
}

function findValuesWithDigits(text: string, language: string, looks: TextLooks): readonly Span[] {
  const numbers = looks.longestNumber < MIN_DIGITS ? undefined : findNumbers(text, language);
  const networkAddresses = looks.longestNumber < 4 && looks.colons < 2 ? [] : findNetworkAddresses(text, looks);
  const announced = [...networkAddresses, ...findCuedIds(text), ...findExtensions(text), ...findAddresses(text)];
  const personal = numbers?.personal ?? [];
  if (announced.length === 0) return personal;
  const others = numbers?.otherCertainties ?? certaintiesOf(findOtherNumbers(text), text);
  return [...personal, ...announced.filter((span) => !isOtherNumber(text, span, others))];
}

/**
 * Leaves out spans of numbered things, such as `Halle 3` and `3 Mio. Euro`, unless they are names
 * of the roster.
 */
export function withoutNumberedThings(spans: readonly Span[], text: string): readonly Span[] {
  const mayBeThing = ({ start, end, category, source }: Span): boolean =>
    category === 'address' ||
    (source !== 'roster' &&
      (/^\.? ?\d/.test(text.slice(end, end + 3)) ||
        /\d ?$/.test(text.slice(Math.max(0, start - 2), start)) ||
        isMonth(text.slice(start, end))));
  if (!spans.some(mayBeThing)) return spans;
  const others = certaintiesOf(findOtherNumbers(text), text);
  return spans.filter((span) => !(mayBeThing(span) && isOtherNumber(text, span, others)));
}

// Names are sought where the other values are masked, so that their capitals do not count and a
// second masking finds no more.
function findNamesBeside(values: readonly Span[], answer: AnswerToMask): Span[] {
  if (values.length === 0) return findNames(answer);
  const names = findNames({ ...answer, text: maskText(answer.text, values) });
  return names.map((span) => ({
    ...span,
    start: unmaskedOffset(span.start, values),
    end: unmaskedOffset(span.end, values),
  }));
}
