import { normalise, OKINA } from '../../words/normalise.ts';
import { embeddedMasker, withoutNumberedThings } from '../embedded-masker.ts';
import { PERSONAL_CATEGORIES, type AnswerToMask, type Masker, type Span } from '../masker.ts';
import { withoutOverlaps } from '../without-overlaps.ts';
import type { ClassifyWords, ScoredWord } from './classify-words.ts';
import { NAMED, ORGANISATION, PARTICLE, THANKS, TITLE, WITH } from '../names/cue-words.ts';
import { readEvidence, type Evidence } from '../names/evidence.ts';
import { lastWordOfName } from '../names/name-extent.ts';
import { wholeWord } from '../names/names.ts';
import {
  gapBefore,
  hasAnyCue,
  hasCapital,
  hasCue,
  isAfter,
  isCommon,
  isFirst,
  isGermanNoun,
  isKnownFirst,
  isLast,
  isMisspelt,
  isPlace,
  lengthOf,
  NO_NAME,
  rosterBits,
} from '../names/word-facts.ts';
import { GAP_DOT, GAP_SPACE } from '../words.ts';

const ALL = new Set(PERSONAL_CATEGORIES);
const JOINT = /^[ \u00a0'’-]?$/u;
// Where spans overlap, the earlier category wins, as among the rules.
const PRIORITY = ['email', 'id', 'phone', 'address', 'name'];

/** Creates a masker that masks what the rules or a model of this version find. */
export function createModelMasker(classify: ClassifyWords, version: string): Masker {
  return {
    version: `${embeddedMasker.version}+model-4-${version}`,
    generation: embeddedMasker.generation,
    find: async (answer) => {
      const [ruleSpans, modelSpans] = await Promise.all([
        embeddedMasker.find({ ...answer, categories: ALL }),
        findByModel(answer, classify),
      ]);
      const spans =
        modelSpans.length === 0 ? ruleSpans : withoutOverlaps(joined([...ruleSpans, ...modelSpans], answer.text), answer.text);
      return spans.filter(({ category }) => answer.categories.has(category));
    },
  };
}

async function findByModel(answer: AnswerToMask, classify: ClassifyWords): Promise<Span[]> {
  if (!answer.categories.has('name') && !answer.categories.has('address')) return [];
  const { text, rangeOf } = normalise(answer.text);
  if (!mayFindSpans({ ...answer, text })) return [];
  // The model has learned names with apostrophes.
  const scored = await classify(text.replaceAll(OKINA, '’'));
  const words = scored.filter(({ start, end }) => !answer.roster.isVisibleToModel(text.slice(start, end)));
  if (words.length === 0) return [];
  const spans = withoutNumberedThings([...namesAmong({ ...answer, text }, words), ...addressesAmong(text, words)], text);
  return spans.map((span) => ({ ...span, ...rangeOf(span.start, span.end) }));
}

// One span for a value that the rules and the model each found a part of.
function joined(spans: readonly Span[], text: string): Span[] {
  const sorted = spans.toSorted((one, other) => rank(one) - rank(other) || one.start - other.start);
  const result: Span[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    const isPart = last?.category === span.category && (span.start < last.end || JOINT.test(text.slice(last.end, span.start)));
    if (isPart) result[result.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else result.push(span);
  }
  return result;
}

const rank = ({ category }: Span): number => PRIORITY.indexOf(category);

// Least probabilities, chosen on the even templates of Presidio's set and on halves of the survey
// sentences, HR sentences and reviews (docs/text-evaluation.md).
const LIKELY = 0.4;
const LIKELY_ADDRESS = 0.5;
const SURE = 0.9;
const NEVER = Infinity;
const MAX_PARTICLES = 3;

/** Checks whether the model could find anything that is let through: a fast path. */
function mayFindSpans(answer: AnswerToMask): boolean {
  const evidence = readEvidence(answer);
  for (let at = 0; at < evidence.words.count; at++) if (leastScore(evidence, at) !== NEVER) return true;
  return false;
}

/**
 * Returns the names among the words that the model found. A word that may be another thing needs a
 * higher probability.
 */
function namesAmong(answer: AnswerToMask, scored: readonly ScoredWord[]): Span[] {
  const evidence = readEvidence(answer);
  const scores = new Map(scored.map(({ start, name }) => [start, name]));
  const spans: Span[] = [];
  for (let at = 0; at < evidence.words.count; at++) {
    if (!isName(evidence, at, scores)) continue;
    const first = at;
    for (let next = nextPart(evidence, at, scores); next !== undefined; next = nextPart(evidence, at, scores)) at = next;
    if (at === first) at = lastWordOfName(evidence, at);
    // Williams Ltd is not a person.
    if (gapBefore(evidence, at + 1) <= GAP_DOT && hasCue(evidence, at + 1, ORGANISATION)) continue;
    const { start, end } = evidence.words;
    spans.push({
      start: start[firstPart(evidence, first)] ?? 0,
      end: end[at] ?? 0,
      category: 'name',
      source: 'model',
      confidence: LIKELY,
    });
  }
  return spans;
}

// Returns where the name begins: it includes a common first name before it (Mercy Atieno) and
// parts that are joined to it (O'Malley).
function firstPart(e: Evidence, at: number): number {
  const before = at - 1;
  const isFirstName =
    gapBefore(e, at) === GAP_SPACE &&
    hasCapital(e, at) &&
    hasCapital(e, before) &&
    isKnownFirst(e, before) &&
    !hasAnyCue(e, before);
  return wholeWord(e, isFirstName ? before : at);
}

// The next word of the same name, after particles if any.
function nextPart(e: Evidence, at: number, scores: ReadonlyMap<number, number>): number | undefined {
  for (let next = at + 1; next <= at + 1 + MAX_PARTICLES && gapBefore(e, next) <= GAP_DOT; next++) {
    if (isName(e, next, scores)) return next;
    if (!hasCue(e, next, PARTICLE) || gapBefore(e, next) !== GAP_SPACE) return undefined;
  }
  return undefined;
}

const isLikely = (e: Evidence, at: number, scores: ReadonlyMap<number, number>): boolean =>
  (scores.get(e.words.start[at] ?? 0) ?? 0) >= leastScore(e, at);

// A word of no list that may be misspelt or is a whole answer is a name only where one is
// announced, or next to another name.
function isName(e: Evidence, at: number, scores: ReadonlyMap<number, number>): boolean {
  if (!isLikely(e, at, scores)) return false;
  if (isListed(e, at) || isAfter(e, at, TITLE | NAMED | WITH | THANKS)) return true;
  if (hasCapital(e, at) ? e.words.count > 1 : !isMisspelt(e, at)) return true;
  const isSureAt = (near: number): boolean => isLikely(e, near, scores) && (isListed(e, near) || hasCapital(e, near));
  return (gapBefore(e, at) === GAP_SPACE && isSureAt(at - 1)) || (gapBefore(e, at + 1) === GAP_SPACE && isSureAt(at + 1));
}

const isListed = (e: Evidence, at: number): boolean => isFirst(e, at) || isLast(e, at) || rosterBits(e, at) !== 0;

function leastScore(e: Evidence, at: number): number {
  if (lengthOf(e, at) < 2 || hasCue(e, at, NO_NAME) || isBehindName(e, at)) return NEVER;
  if (isCommon(e, at)) return isKnownFirst(e, at) ? SURE : NEVER;
  return isPlace(e, at) || isGermanNoun(e, at) || (e.capitalsTell && !hasCapital(e, at)) ? SURE : LIKELY;
}

// `Kim krzyczy`: after a capitalised word, an unlisted one in lower case says what somebody does.
const isBehindName = (e: Evidence, at: number): boolean =>
  e.capitalsTell &&
  !hasCapital(e, at) &&
  hasCapital(e, at - 1) &&
  gapBefore(e, at) === GAP_SPACE &&
  !isFirst(e, at) &&
  !isLast(e, at);

const CAPITALISED = /\p{Lu}\p{Ll}/u;
const BETWEEN = /^[\s,.;:/#-]{1,4}$/;
const WITHIN_NUMBER = /\d[.,]$/;

/**
 * Returns the addresses among the words that the model found: a number with words, not a town
 * alone, and not small words in a text with capitals, such as `la ligne 35`.
 */
function addressesAmong(text: string, scored: readonly ScoredWord[]): Span[] {
  const groups: { start: number; end: number }[] = [];
  for (const { start, end, name, address } of scored) {
    if (address < LIKELY_ADDRESS || address < name) continue;
    const last = groups.at(-1);
    if (last !== undefined && BETWEEN.test(text.slice(last.end, start))) last.end = end;
    else groups.push({ start, end });
  }
  return groups
    .map((group) => ({ ...group, found: text.slice(group.start, group.end) }))
    .filter(({ start }) => !WITHIN_NUMBER.test(text.slice(Math.max(0, start - 2), start)))
    .filter(({ found }) => /\d/.test(found) && /\p{L}{2}/u.test(found) && (!CAPITALISED.test(text) || CAPITALISED.test(found)))
    .map(({ start, end }) => ({ start, end, category: 'address', source: 'model', confidence: LIKELY_ADDRESS }));
}
