import { ROSTER_LAST } from '../roster.ts';
import { GAP_COMMA, GAP_DOT, GAP_JOINT, GAP_SPACE } from '../words.ts';
import {
  ACT,
  AND,
  ARTICLE,
  CALENDAR,
  DEPARTMENT,
  LOCATIVE,
  ORGANISATION,
  PARTICLE,
  ROLE,
  SUFFIX,
  TITLE,
  WITH,
} from './cue-words.ts';
import type { Evidence } from './evidence.ts';
import {
  gapBefore,
  hasCapital,
  hasCue,
  isActing,
  isCommon,
  isCompanySurname,
  isFirst,
  isGenitive,
  isInitial,
  isKnownFirst,
  isLast,
  isOfSyllables,
  isOrganisationAfter,
  isPlace,
  isSureName,
  isUnknownName,
  lengthOf,
  looksLikeName,
  rosterBits,
} from './word-facts.ts';

const LONGEST = 7;
// But for seasons, which are also surnames.
const ANY_CUE = 0xffff;
const FUNCTION_WORD = ACT | ARTICLE | WITH | LOCATIVE | AND;

/** Returns the index of the last word of the name that starts at `start`. */
export function lastWordOfName(e: Evidence, start: number): number {
  let last = start;
  while (last - start < LONGEST) {
    const next = nextPart(e, start, last);
    if (next === last) return last;
    last = next;
  }
  return last;
}

function nextPart(e: Evidence, start: number, last: number): number {
  const next = last + 1;
  const gap = gapBefore(e, next);
  if (hasCue(e, next, SUFFIX) && (gap === GAP_SPACE || gap === GAP_COMMA) && hasCapital(e, next)) return next;
  if (gap === GAP_JOINT) return belongsByJoint(e, next) ? next : last;
  if (gap === GAP_DOT)
    return isInitial(e, last) && (isInitial(e, next) || (looksLikeName(e, next) && !isCommonWord(e, next))) ? next : last;
  if (gap !== GAP_SPACE || isGenitive(e, last)) return last;
  if (isInitial(e, next)) return hasDot(e, next) || followsAsName(e, start, next + 1) ? next : last;
  const behindParticles = skipParticles(e, next);
  if (behindParticles > next && behindParticles > 0) return followsParticles(e, start, behindParticles) ? behindParticles : last;
  return followsAsName(e, start, next) ? next : last;
}

// Anna W. said; I asked Anna W.
const hasDot = (e: Evidence, at: number): boolean => e.text[e.words.end[at] ?? 0] === '.';

// O'Brien, Anna-Maria, Müller-Lüdenscheidt, Yu-na; not Anna's, Anna'll.
function belongsByJoint(e: Evidence, next: number): boolean {
  if (lengthOf(e, next) < 2) return false;
  if (hasCapital(e, next) || isOfSyllables(e, next - 1)) return true;
  return !isCommon(e, next) && (isFirst(e, next) || isLast(e, next) || rosterBits(e, next) !== 0 || lengthOf(e, next) > 2);
}

const isCommonWord = (e: Evidence, at: number): boolean => isCommon(e, at) && !isLast(e, at) && rosterBits(e, at) === 0;

function skipParticles(e: Evidence, from: number): number {
  let at = from;
  while (hasCue(e, at, PARTICLE) && at - from < 3 && (gapBefore(e, at) === GAP_SPACE || gapBefore(e, at) === GAP_JOINT)) at++;
  return at;
}

function followsParticles(e: Evidence, start: number, at: number): boolean {
  const gap = gapBefore(e, at);
  if (gap !== GAP_SPACE && gap !== GAP_JOINT) return false;
  // thomas van haaren; not `sara de la compta`.
  if (!hasCapital(e, at) && (e.allSmall || !hasCapital(e, start)))
    return (
      lengthOf(e, at) > 2 &&
      !hasCue(e, at, ANY_CUE) &&
      ((rosterBits(e, at) & ROSTER_LAST) !== 0 || (isLast(e, at) && isFirst(e, start) && !isCommon(e, at) && !isPlace(e, at)))
    );
  if (!looksLikeName(e, at) || hasCue(e, at, CALENDAR | ORGANISATION)) return false;
  if (isPlace(e, at) && !isLast(e, at) && rosterBits(e, at) === 0) return false;
  return (
    isLast(e, at) ||
    rosterBits(e, at) !== 0 ||
    (!e.german && (!isCommon(e, at) || (e.capitalsTell && !hasCue(e, at, DEPARTMENT))))
  );
}

function followsAsName(e: Evidence, start: number, next: number): boolean {
  if (hasCue(e, next, ROLE | TITLE) || isOrganisationAfter(e, next - 1)) return false;
  // Theresa May, Thi Mai; not on Friday.
  if (hasCue(e, next, CALENDAR)) return hasCapital(e, next) && isKnownFirst(e, next) && isLast(e, next) && isFirst(e, start);
  if (!hasCapital(e, next) && (!e.capitalsTell || !hasCapital(e, start))) return isSmallSurname(e, start, next);
  if (!looksLikeName(e, next)) return false;
  if (isOfSyllables(e, next) || isOfSyllables(e, start)) return isLast(e, start) || isLast(e, next);
  if (isSureName(e, next) || (rosterBits(e, next) !== 0 && !hasCue(e, next, FUNCTION_WORD))) return true;
  if (!e.german && next - start === 1 && !isCommon(e, start)) return !hasCue(e, next, FUNCTION_WORD);
  if (isCommon(e, next)) return isLast(e, next) && next - start === 1 && (!e.german || isKnownFirst(e, start));
  return (
    isUnknownName(e, next) && (!e.german || next - start === 1) && !(hasCue(e, next + 1, ORGANISATION) && hasCapital(e, next + 1))
  );
}

function isSmallSurname(e: Evidence, start: number, next: number): boolean {
  if (lengthOf(e, next) < 3) return false;
  if ((rosterBits(e, next) & ROSTER_LAST) !== 0 && !hasCue(e, next, FUNCTION_WORD)) return true;
  if (isCommon(e, next)) {
    // What melissa grant did, my boss is melissa grant: between a first name and a verb or the end,
    // a noun is a surname.
    const isToldLast = gapBefore(e, next + 1) !== GAP_SPACE && hasCue(e, start - 1, ACT) && hasCue(e, start - 2, ROLE);
    const isBetween = e.allSmall && isLast(e, next) && !hasCue(e, next, ANY_CUE) && (isActing(e, next) || isToldLast);
    return (isCompanySurname(e, next) || isBetween) && isKnownFirst(e, start);
  }
  if (rosterBits(e, next) !== 0) return true;
  return (
    next - start === 1 && !hasCue(e, next, ANY_CUE) && (isLast(e, next) ? !isPlace(e, next) : e.allSmall && lengthOf(e, next) > 3)
  );
}
