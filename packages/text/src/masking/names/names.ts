import { isToken } from '../mask-text.ts';
import type { AnswerToMask, Span } from '../masker.ts';
import { readList } from '../read-list.ts';
import { GAP_JOINT, GAP_SPACE } from '../words.ts';
import { AND, PARTICLE } from './cue-words.ts';
import { readEvidence, type Evidence } from './evidence.ts';
import { lastWordOfName } from './name-extent.ts';
import { isSignBefore, NAME_RULES } from './name-start.ts';
import {
  gapBefore,
  hasCapital,
  hasCue,
  isCommon,
  isFirst,
  isKnownFirst,
  isLast,
  isLocated,
  isTown,
  isUnknownName,
  rosterBits,
} from './word-facts.ts';

const NAMED_THINGS = readList('lists/named-things.txt');
const MAX_JOINED = 3;

/**
 * Finds names of people: name-start.ts decides where a name starts, name-extent.ts where it ends.
 */
export function findNames(answer: AnswerToMask): Span[] {
  const evidence = readEvidence(answer);
  const { words } = evidence;
  const spans: Span[] = [];
  // Index of the last word of the last name.
  let before = -1;
  for (let at = 0; at < words.count; at++) {
    const rule =
      (mayStartName(evidence, at) ? NAME_RULES.find(({ applies }) => applies(evidence, at)) : undefined) ??
      (before >= 0 && isJoined(evidence, at, before) ? JOINED : undefined);
    if (rule === undefined) continue;
    const last = lastWordOfName(evidence, at);
    const first = Math.max(before + 1, withParticles(evidence, wholeWord(evidence, at)));
    const start = words.start[first] ?? 0;
    const end = words.end[last] ?? 0;
    const { source, confidence } = rule;
    if (isToken(answer.text, start, end)) continue;
    if (source === 'roster' ? isTown(evidence, last) : isLocated(evidence, at, last) || isTown(evidence, last)) {
      at = last;
      continue;
    }
    if (!isThing(answer.text, words.start[Math.max(0, at - 1)] ?? start, words.end[Math.min(last + 1, words.count - 1)] ?? end)) {
      if (isSignBefore(evidence, at) && before < at - 1 && mayBeJoined(evidence, at - 1))
        spans.push({ start: words.start[at - 1] ?? 0, end: words.end[at - 1] ?? 0, category: 'name', ...JOINED });
      spans.push({ start, end, category: 'name', source, confidence });
      before = last;
    }
    at = last;
  }
  return spans;
}

const JOINED = { source: 'joined', confidence: 0.5 };

// Sunil/Xochi, Anna and Xochi: what is joined to a name is one unless it is a word.
const isJoined = (e: Evidence, at: number, before: number): boolean =>
  at - before === 1
    ? isSignBefore(e, at) && mayBeJoined(e, at)
    : at - before === 2 &&
      hasCue(e, at - 1, AND) &&
      gapBefore(e, at) === GAP_SPACE &&
      gapBefore(e, at - 1) === GAP_SPACE &&
      (mayBeJoined(e, at) ? !hasCapital(e, at + 1) : isKnownFirst(e, at) && isLast(e, at + 1) && hasCapital(e, at + 1));

const mayBeJoined = (e: Evidence, at: number): boolean =>
  isUnknownName(e, at) &&
  (!e.german || isFirst(e, at)) &&
  !/^ ?\d/.test(e.text.slice(e.words.end[at], (e.words.end[at] ?? 0) + 2));

/** Returns the first part of a word that is joined: Olli-Pekka, when only Pekka is known. */
export function wholeWord(e: Evidence, at: number): number {
  let first = at;
  while (at - first < MAX_JOINED && gapBefore(e, first) === GAP_JOINT && hasCapital(e, first - 1)) first--;
  return first;
}

// De Jong, van der Berg, without a first name. `van` and `de` alone are words of the sentence.
function withParticles(e: Evidence, at: number): number {
  let first = at;
  while (at - first < MAX_JOINED && gapBefore(e, first) === GAP_SPACE && hasCue(e, first - 1, PARTICLE)) first--;
  return at - first > 1 || (first < at && hasCapital(e, first) && !e.german) ? first : at;
}

// Hot path: no rule applies to the others, which are most words.
const mayStartName = (e: Evidence, at: number): boolean => hasCapital(e, at) || !isCommon(e, at) || rosterBits(e, at) !== 0;

// The name with its adjacent words, to detect organisations and other things named after a person.
function isThing(text: string, start: number, end: number): boolean {
  if (end - start > 60) return false;
  const around = text
    .slice(start, end)
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ');
  return NAMED_THINGS.some((thing) => around.includes(thing));
}
