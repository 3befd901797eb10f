import { findAddresses } from './addresses/addresses.ts';
import { findEmails } from './emails.ts';
import { findCuedIds } from './ids/cued-ids.ts';
import { findIds } from './ids/ids.ts';
import { findPersonalMarks } from './ids/personal-marks.ts';
import { PERSONAL_CATEGORIES, type AnswerToMask, type Masker, type PersonalCategory, type Span } from './masker.ts';
import { findNames } from './names/names.ts';
import { findPhones } from './phones.ts';
import { plainTextOf } from './plain-text.ts';
import { lookAt, type TextLooks } from './text-looks.ts';
import { withoutOverlaps } from './without-overlaps.ts';

interface Recogniser {
  readonly category: PersonalCategory;
  // Cheap check whether the search can find anything.
  readonly mayFind: (looks: TextLooks, text: string) => boolean;
  readonly find: (answer: AnswerToMask, looks: TextLooks) => Span[];
}

/**
 * In order of priority: where spans overlap, the earlier recogniser wins, whichever categories are
 * requested. An e-mail address contains no name even when e-mail addresses stay visible, so a
 * subset of the categories masks exactly its subset of the spans.
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
  { category: 'name', mayFind: () => true, find: findNames },
];

/** Masks in this process, with the lists and rules of this package. Linear in the text. */
export const embeddedMasker: Masker = {
  version: 'embedded-3',
  find: (answer) => Promise.resolve(findInAnySpelling(answer)),
};

function findInAnySpelling(answer: AnswerToMask): readonly Span[] {
  const plain = plainTextOf(answer.text);
  if (plain === undefined) return findSpans(answer);
  return findSpans({ ...answer, text: plain.text }).map((span) => ({ ...span, ...plain.rangeOf(span.start, span.end) }));
}

function findSpans(answer: AnswerToMask): readonly Span[] {
  const found: Span[] = [];
  const looks = lookAt(answer.text);
  for (const { mayFind, find } of neededFor(answer.categories)) {
    if (mayFind(looks, answer.text)) for (const span of find(answer, looks)) found.push(span);
  }
  const kept = found.length < 2 ? found : withoutOverlaps(found, answer.text);
  return answer.categories.size === PERSONAL_CATEGORIES.length
    ? kept
    : kept.filter(({ category }) => answer.categories.has(category));
}

// Recognisers after the last requested one cannot change its spans.
function neededFor(categories: ReadonlySet<PersonalCategory>): readonly Recogniser[] {
  const last = RECOGNISERS.findLastIndex(({ category }) => categories.has(category));
  return RECOGNISERS.slice(0, last + 1);
}
