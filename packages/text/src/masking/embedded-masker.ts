import { normalise } from '../words/normalise.ts';
import { findAddresses } from './addresses/addresses.ts';
import { findEmails } from './emails.ts';
import { findCuedIds } from './ids/cued-ids.ts';
import { findIds } from './ids/ids.ts';
import { findPersonalMarks } from './ids/personal-marks.ts';
import { maskText, unmaskedOffset } from './mask-text.ts';
import { PERSONAL_CATEGORIES, type AnswerToMask, type Masker, type PersonalCategory, type Span } from './masker.ts';
import { findNames } from './names/names.ts';
import { findPhones } from './phones.ts';
import { lookAt, type TextLooks } from './text-looks.ts';
import { withoutOverlaps } from './without-overlaps.ts';

interface Recogniser {
  readonly category: PersonalCategory;
  // Cheap check whether the search can find anything.
  readonly mayFind: (looks: TextLooks, text: string) => boolean;
  readonly find: (answer: AnswerToMask, looks: TextLooks) => Span[];
}

/**
 * In order of priority, names last: where spans overlap, the earlier recogniser wins, whichever
 * categories are requested. An e-mail address contains no name even when e-mail addresses stay
 * visible, so a subset of the categories masks exactly its subset of the spans.
 */
const RECOGNISERS: readonly Recogniser[] = [
  {
    category: 'email',
    mayFind: () => true,
    find: ({ text }) => findEmails(text),
  },
  {
    category: 'id',
    mayFind: ({ digits, colons }) => digits >= 4 || colons > 1,
    find: ({ text, language }, looks) => findIds(text, language, looks),
  },
  { category: 'id', mayFind: ({ longestNumber }) => longestNumber >= 3, find: ({ text }) => findCuedIds(text) },
  {
    category: 'id',
    mayFind: ({ digits, at, colons }) => digits > 0 || at || colons > 0,
    find: ({ text }) => findPersonalMarks(text),
  },
  {
    category: 'phone',
    mayFind: ({ longestNumber }) => longestNumber >= 6,
    find: ({ text, language }) => findPhones(text, language),
  },
  {
    category: 'address',
    mayFind: ({ digits }) => digits > 0,
    find: ({ text }) => findAddresses(text),
  },
];

const GENERATION = 5;

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

function findSpans(answer: AnswerToMask): readonly Span[] {
  const { text, categories } = answer;
  const found: Span[] = [];
  const looks = lookAt(text);
  for (const { mayFind, find } of neededFor(categories)) {
    if (mayFind(looks, text)) for (const span of find(answer, looks)) found.push(span);
  }
  const values = found.length < 2 ? found : withoutOverlaps(found, text);
  const names = categories.has('name') ? findNamesBeside(values, answer) : [];
  const spans = values.length === 0 ? names : [...values, ...names].sort((one, other) => one.start - other.start);
  return categories.size === PERSONAL_CATEGORIES.length ? spans : spans.filter(({ category }) => categories.has(category));
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

// Recognisers after the last requested one cannot change its spans; names depend on all.
function neededFor(categories: ReadonlySet<PersonalCategory>): readonly Recogniser[] {
  if (categories.has('name')) return RECOGNISERS;
  const last = RECOGNISERS.findLastIndex(({ category }) => categories.has(category));
  return RECOGNISERS.slice(0, last + 1);
}
