import type { AnswerToMask, Span } from '../masker.ts';
import { NAMED, ORGANISATION, PARTICLE, THANKS, TITLE, WITH } from '../names/cue-words.ts';
import { readEvidence, type Evidence } from '../names/evidence.ts';
import { lastWordOfName } from '../names/name-extent.ts';
import {
  gapBefore,
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
} from '../names/word-facts.ts';
import { GAP_DOT, GAP_SPACE } from '../words.ts';
import type { ScoredWord } from './classify-words.ts';

// Least probabilities, chosen on the even templates of Presidio's set and on halves of the survey
// sentences, HR sentences and reviews (docs/text-evaluation.md).
const LIKELY = 0.4;
const LIKELY_ADDRESS = 0.5;
const SURE = 0.9;
const NEVER = Infinity;
const MAX_PARTICLES = 3;

/** Checks whether the model could find anything that is let through: a fast path. */
export function mayFindSpans(answer: AnswerToMask): boolean {
  const evidence = readEvidence(answer);
  for (let at = 0; at < evidence.words.count; at++) if (leastScore(evidence, at) !== NEVER) return true;
  return false;
}

/**
 * Returns the names among the words that the model found. A word that may be another thing needs a
 * higher probability.
 */
export function namesAmong(answer: AnswerToMask, scored: readonly ScoredWord[]): Span[] {
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
    spans.push({ start: start[first] ?? 0, end: end[at] ?? 0, category: 'name', source: 'model', confidence: LIKELY });
  }
  return spans;
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

// What may be misspelt is a name only beside another one, or after a word that announces one.
function isName(e: Evidence, at: number, scores: ReadonlyMap<number, number>): boolean {
  if (!isLikely(e, at, scores)) return false;
  if (!isMisspelt(e, at) || isAfter(e, at, TITLE | NAMED | WITH | THANKS)) return true;
  const isSureAt = (near: number): boolean => isLikely(e, near, scores) && !isMisspelt(e, near);
  return (gapBefore(e, at) === GAP_SPACE && isSureAt(at - 1)) || (gapBefore(e, at + 1) === GAP_SPACE && isSureAt(at + 1));
}

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
export function addressesAmong(text: string, scored: readonly ScoredWord[]): Span[] {
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
