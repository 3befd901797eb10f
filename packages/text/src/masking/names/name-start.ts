import { isMonth } from '../numbers/other-numbers.ts';
import { ROSTER_FIRST, ROSTER_LAST } from '../roster.ts';
import { GAP_BREAK, GAP_COMMA, GAP_DOT, GAP_JOINT, GAP_SPACE } from '../words.ts';
import {
  ACT,
  AND,
  ARTICLE,
  CALENDAR,
  DEPARTMENT,
  LOCATIVE,
  NAME_NOUN,
  NAMED,
  ORGANISATION,
  PARTICLE,
  PLACE_BEFORE,
  ROLE,
  SEASON,
  THANKS,
  TITLE,
  WITH,
} from './cue-words.ts';
import type { Evidence } from './evidence.ts';
import {
  endsAsSurname,
  gapBefore,
  hasAnyCue,
  hasCapital,
  hasCue,
  isActing,
  isAfter,
  isBracketed,
  isCommon,
  isCommonInAny,
  isCompanySurname,
  isDoing,
  isFirst,
  isInitial,
  isKnownFirst,
  isLast,
  isMisspelt,
  isOfSyllables,
  isOrganisationAfter,
  isPlace,
  isSoonAfter,
  isPairedWithWord,
  isPartOfPlace,
  isPlaceVisited,
  isSpeaking,
  isSureName,
  isTitledWord,
  isUnknownName,
  isVerbOfObject,
  lengthOf,
  looksLikeName,
  NO_NAME,
  opensSentence,
  rosterBits,
  touchesNext,
} from './word-facts.ts';

interface NameRule {
  readonly source: string;
  readonly confidence: number;
  readonly applies: (e: Evidence, at: number) => boolean;
}

const PEOPLE_FOLLOW = TITLE | ROLE | NAMED | WITH;
const LETTERS_OF_LOGIN = 4;
const MAX_INITIALS = 4;

/** Rules for the first word of a name, the most certain first. */
export const NAME_RULES: readonly NameRule[] = [
  { source: 'title', confidence: 0.95, applies: isTitled },
  { source: 'roster', confidence: 0.98, applies: isInRoster },
  { source: 'named', confidence: 0.9, applies: isNamed },
  { source: 'first-name', confidence: 0.85, applies: isFirstName },
  { source: 'common-first-name', confidence: 0.7, applies: isCommonFirstName },
  { source: 'common-full-name', confidence: 0.7, applies: isFullNameOfCommonWords },
  { source: 'department', confidence: 0.7, applies: isOfDepartment },
  { source: 'role', confidence: 0.75, applies: isAfterRole },
  { source: 'initial', confidence: 0.75, applies: isInitialOfName },
  { source: 'before-name', confidence: 0.7, applies: isBeforeName },
  { source: 'syllables', confidence: 0.7, applies: isBesideSyllables },
  { source: 'speaker', confidence: 0.7, applies: isSpeaker },
  { source: 'last-name', confidence: 0.6, applies: isLastName },
  { source: 'pair', confidence: 0.6, applies: isBesideSign },
  { source: 'thanked', confidence: 0.6, applies: isThanked },
  { source: 'small-first-name', confidence: 0.6, applies: isSmallFirstName },
  { source: 'two-unknown', confidence: 0.5, applies: isPairOfUnknowns },
];

function isTitled(e: Evidence, at: number): boolean {
  if (!isTitledWord(e, at) || hasCue(e, at, TITLE | ROLE | ARTICLE | ORGANISATION)) return false;
  if (hasCapital(e, at)) return !isCommon(e, at) || isLast(e, at) || (!e.german && (isFirst(e, at) || hasCapital(e, at - 1)));
  return !isCommon(e, at) && !hasCue(e, at, PARTICLE) && (isFirst(e, at) || isLast(e, at));
}

function isInRoster(e: Evidence, at: number): boolean {
  const bits = rosterBits(e, at);
  if (bits === 0) return false;
  if (isPlaceVisited(e, at) || isMonthAsTime(e, at) || (isAfter(e, at, LOCATIVE) && hasCue(e, at, SEASON))) return false;
  if (!hasCapital(e, at) || !e.capitalsTell) return isSmallRosterName(e, at, bits);
  if (!looksLikeName(e, at) || isVerbOfObject(e, at)) return false;
  const doubtful = isCommon(e, at) || hasCue(e, at, CALENDAR | SEASON | ROLE | ORGANISATION);
  if (!doubtful) return lengthOf(e, at) > 2 || (bits & (ROSTER_FIRST | ROSTER_LAST)) !== 0;
  // De Jong, le Petit: an article can be part of a surname.
  if (isAfter(e, at, ARTICLE) && (e.german || (bits & ROSTER_LAST) === 0 || !hasCue(e, at - 1, PARTICLE))) return false;
  if (!e.german && !opensSentence(e, at)) return true;
  const isName = (bits & (ROSTER_FIRST | ROSTER_LAST)) !== 0;
  return (
    isSoonAfter(e, at, PEOPLE_FOLLOW) ||
    hasRosterNext(e, at) ||
    (isName && (isSpeaking(e, at) || (isActing(e, at) && !isPairedWithWord(e, at) && !hasCue(e, at, ROLE | CALENDAR | SEASON))))
  );
}

const IN = /^(?:in|im|en|em) $/i;

// In Jan; not `in Maya's team`.
const isMonthAsTime = (e: Evidence, at: number): boolean =>
  IN.test(e.text.slice(e.words.start[at - 1], e.words.start[at])) && isMonth(e.text.slice(e.words.start[at], e.words.end[at]));

// In lower case, a word that is also a common word is a name only after a cue.
function isSmallRosterName(e: Evidence, at: number, bits: number): boolean {
  if (hasCue(e, at, CALENDAR) || isVerbOfObject(e, at)) return false;
  if (isFullName(e, at, bits)) return true;
  // `der müller nervt`, `la maría ayuda` are said of people, `the gates`, `een roos` are not.
  if (!e.german && isAfter(e, at, ARTICLE) && ((bits & ROSTER_FIRST) === 0 || !e.allSmall)) return false;
  if (isCommon(e, at) || hasCue(e, at, ACT | ARTICLE | WITH))
    return (isAfter(e, at, TITLE | NAMED | ROLE) || isSpeaking(e, at)) && !hasCue(e, at, ACT | ARTICLE | WITH);
  if ((bits & ROSTER_FIRST) !== 0) return lengthOf(e, at) > 2;
  return lengthOf(e, at) >= LETTERS_OF_LOGIN && !(isPlace(e, at) && isAfter(e, at, LOCATIVE));
}

// bob miller, emily rose: a first name of the roster next to a last one.
const isFullName = (e: Evidence, at: number, bits: number): boolean =>
  (bits & ROSTER_FIRST) !== 0 &&
  lengthOf(e, at) > 2 &&
  !hasCue(e, at, ACT | ARTICLE | WITH) &&
  gapBefore(e, at + 1) === GAP_SPACE &&
  (rosterBits(e, at + 1) & ROSTER_LAST) !== 0 &&
  lengthOf(e, at + 1) > 2 &&
  !hasCue(e, at + 1, ACT | ARTICLE | WITH);

const hasRosterNext = (e: Evidence, at: number): boolean =>
  touchesNext(e, at) && looksLikeName(e, at + 1) && rosterBits(e, at + 1) !== 0;

function isNamed(e: Evidence, at: number): boolean {
  const isIntroduced = isAfter(e, at, NAMED) || isNameGiven(e, at);
  if (!isIntroduced || hasCue(e, at, ARTICLE | ROLE | ACT | WITH)) return false;
  if (!hasCapital(e, at)) return isFirst(e, at) && !isCommon(e, at) && lengthOf(e, at) > 2;
  return isSureName(e, at) || isUnknownName(e, at) || (isKnownFirst(e, at) && !e.german);
}

// My name is Anna; Name: Anna; mein Name ist Anna.
function isNameGiven(e: Evidence, at: number): boolean {
  const gap = gapBefore(e, at);
  if (gap === GAP_BREAK) return hasCue(e, at - 1, NAME_NOUN);
  return (
    gap === GAP_SPACE &&
    (hasCue(e, at - 1, NAME_NOUN) || (hasCue(e, at - 1, ACT) && hasCue(e, at - 2, NAME_NOUN) && !opensSentence(e, at - 1)))
  );
}

function isFirstName(e: Evidence, at: number): boolean {
  if (!isFirst(e, at) || !looksLikeName(e, at) || isCommon(e, at) || hasCue(e, at, CALENDAR | ORGANISATION | ROLE)) return false;
  if (isPartOfPlace(e, at) || isOrganisationAfter(e, at) || isVerbOfObject(e, at)) return false;
  if (isMonthAsTime(e, at)) return false;
  const isIntroduced = isSoonAfter(e, at, TITLE | ROLE | NAMED) || (isAfter(e, at, WITH) && hasCue(e, at - 2, THANKS));
  if ((isPlace(e, at) || isPlaceVisited(e, at)) && !isIntroduced && !isNameLike(e, at + 1)) return false;
  if (isAfter(e, at, ARTICLE) && (!isKnownFirst(e, at) || (e.german && !isSpokenOf(e, at)))) return false;
  if (!e.capitalsTell && !e.allSmall) return isKnownFirst(e, at) && lengthOf(e, at) > 2;
  if (isKnownFirst(e, at)) return true;
  if (lengthOf(e, at) < 3) return false;
  if (e.german || opensSentence(e, at))
    return isSoonAfter(e, at, PEOPLE_FOLLOW) || isActing(e, at) || isNameLike(e, at + 1) || isPairedWithName(e, at);
  return true;
}

// Der Mirko hilft, mit dem Thomas: German puts articles before first names, but also before hotels.
const isSpokenOf = (e: Evidence, at: number): boolean =>
  isActing(e, at) || (hasCue(e, at - 2, WITH) && !hasCue(e, at - 1, LOCATIVE) && gapBefore(e, at + 1) !== GAP_JOINT);

// Anna und Ute; Anna, Ute und Kim; Olu & Femi. What a sign joins are names if one surely is.
const isPairedWithName = (e: Evidence, at: number): boolean =>
  [at - 1, at + 1].some((near) => {
    const gap = gapBefore(e, Math.max(at, near));
    if (gap === GAP_COMMA) return isSureName(e, near);
    return gap === GAP_SPACE && hasCue(e, near, AND) && isSureName(e, 2 * near - at);
  });

// Weber/Schmidt, Weber & Schmidt: two names of the lists, of which one may be a common word.
function isBesideSign(e: Evidence, at: number): boolean {
  const other = isSignBefore(e, at) ? at - 1 : at + 1;
  if (other > at && !isSignBefore(e, other)) return false;
  const isListedName = (one: number): boolean =>
    looksLikeName(e, one) &&
    lengthOf(e, one) > 3 &&
    (isFirst(e, one) || isLast(e, one)) &&
    !isPlace(e, one) &&
    !hasCue(e, one, NO_NAME);
  return isListedName(at) && isListedName(other) && (isSureName(e, at) || isSureName(e, other));
}

/** Checks for a sign between a word and the one before: Weber/Schmidt. */
export const isSignBefore = (e: Evidence, at: number): boolean =>
  at > 0 && /^(?:\/| [/&+] )$/.test(e.text.slice(e.words.end[at - 1], e.words.start[at]));

const isNameLike = (e: Evidence, at: number): boolean =>
  touchesNext(e, at - 1) && isSureName(e, at) && (isLast(e, at) || !e.german);

function isCommonFirstName(e: Evidence, at: number): boolean {
  if (!isFirst(e, at) || !isCommon(e, at) || !looksLikeName(e, at) || !e.capitalsTell || hasCue(e, at, ROLE | ARTICLE | WITH))
    return false;
  if (isAfter(e, at, ARTICLE) || isPartOfPlace(e, at) || hasCue(e, at, PLACE_BEFORE)) return false;
  if (isPlace(e, at) && !isNameLike(e, at + 1)) return false;
  if (isNameLike(e, at + 1) && !hasCue(e, at + 2, ORGANISATION))
    return isLast(e, at + 1) && (isKnownFirst(e, at) || !opensSentence(e, at));
  if (!isKnownFirst(e, at)) return false;
  if (isSpeaking(e, at)) return true;
  if ((isPairedWithName(e, at) || isDoing(e, at)) && !hasCue(e, at, CALENDAR)) return true;
  if (isAfter(e, at, ROLE | NAMED)) return !e.german;
  return !e.german && !opensSentence(e, at) && isSoonAfter(e, at, WITH) && !hasCapital(e, at + 1) && !hasCue(e, at, CALENDAR);
}

// Grace Young, Ernst Lange, Young Kim: in a pair, common words are a name, if one of them is a
// well-known first name.
function isFullNameOfCommonWords(e: Evidence, at: number): boolean {
  const next = at + 1;
  if (!e.capitalsTell || gapBefore(e, next) !== GAP_SPACE || !looksLikeName(e, at) || !looksLikeName(e, next)) return false;
  if (
    lengthOf(e, at) < 4 ||
    lengthOf(e, next) < 3 ||
    !isLast(e, next) ||
    hasCue(e, at, NO_NAME | ARTICLE | PLACE_BEFORE | (opensSentence(e, at) && !isActing(e, next) ? WITH | ACT : 0)) ||
    hasCue(e, next, (NO_NAME & ~ORGANISATION) | ARTICLE) ||
    isOrganisationAfter(e, at)
  )
    return false;
  if ((touchesNext(e, next) && hasCapital(e, next + 1)) || (isCompanySurname(e, at) && isAfter(e, at, ARTICLE))) return false;
  if (!isKnownFirst(e, at) && !(isLast(e, at) && isKnownFirst(e, next) && !e.german)) return false;
  return (
    isActing(e, next) ||
    isSpeaking(e, next) ||
    isOfDepartment(e, next) ||
    !(opensSentence(e, at) || isPlace(e, at) || isPlace(e, next))
  );
}

// Rose from HR, Kiko (almacén), Tremlett from finance refuses: at the start of a sentence, a word
// of no list needs a verb of a person.
function isOfDepartment(e: Evidence, at: number): boolean {
  const isInBrackets = isBracketed(e, at + 1);
  if (!isInBrackets && !(gapBefore(e, at + 1) === GAP_SPACE && hasCue(e, at + 1, WITH | LOCATIVE | PARTICLE | ARTICLE)))
    return false;
  const department = isInBrackets ? at + 1 : hasCue(e, at + 2, ARTICLE | PARTICLE) ? at + 3 : at + 2;
  if (!hasCue(e, department, DEPARTMENT) || isPlace(e, at) || hasCue(e, at, NO_NAME | CALENDAR | DEPARTMENT)) return false;
  if (!hasCapital(e, at)) return isFirst(e, at) && !isCommon(e, at) && lengthOf(e, at) > 2 && !hasAnyCue(e, at);
  if (!looksLikeName(e, at) || isAfter(e, at, ARTICLE)) return false;
  if (isCommon(e, at)) return isKnownFirst(e, at) && isActing(e, department);
  if (isFirst(e, at) || isLast(e, at)) return true;
  return !e.german && isUnknownName(e, at) && (!opensSentence(e, at) || isActing(e, department));
}

function isAfterRole(e: Evidence, at: number): boolean {
  if (!e.capitalsTell || !isAfter(e, at, ROLE)) return false;
  if (!isUnknownName(e, at)) return e.german && isOwnRole(e, at - 1) && isLast(e, at) && isActing(e, at);
  if (e.german) return isLast(e, at) || isFirst(e, at) || isActing(e, at);
  return !hasCapital(e, at - 1) || isFirst(e, at) || isLast(e, at) || opensSentence(e, at - 1);
}

// J. Smith, J. R. Smith; name-extent.ts handles John Q.
function isInitialOfName(e: Evidence, at: number): boolean {
  if (!isInitial(e, at) || !e.capitalsTell) return false;
  let next = at + 1;
  while (next - at < MAX_INITIALS && isInitial(e, next) && gapBefore(e, next) === GAP_DOT) next++;
  if (gapBefore(e, next) !== GAP_DOT || !looksLikeName(e, next)) return false;
  // `J. Hill decides` is a person; `Plan B. Young people` is not.
  const isPerson = isAfter(e, at, PEOPLE_FOLLOW) || (opensSentence(e, at) && isActing(e, next));
  if (isPerson && isCommon(e, next) && isLast(e, next)) return true;
  return (
    isSureName(e, next) || (rosterBits(e, next) & ROSTER_LAST) !== 0 || (isUnknownName(e, next) && (!e.german || next - at > 1))
  );
}

// An unknown word directly before a surname: Xochi Smith, Sinéad O'Connor, Li Wei.
function isBeforeName(e: Evidence, at: number): boolean {
  const isShortName = lengthOf(e, at) === 2 && looksLikeName(e, at) && !isCommon(e, at) && !hasAnyCue(e, at) && isLast(e, at);
  if (!e.capitalsTell || !(isUnknownName(e, at) || isShortName)) return false;
  if (!touchesNext(e, at) || gapBefore(e, at) === GAP_JOINT || isOrganisationAfter(e, at + 1)) return false;
  const next = at + 1;
  if (isInitial(e, next) && gapBefore(e, next + 1) === GAP_JOINT)
    return isSureName(e, next + 1) || (isUnknownName(e, next + 1) && !e.german);
  if (isInitial(e, next))
    return gapBefore(e, next + 1) === GAP_DOT && (isUnknownName(e, next + 1) || isSureName(e, next + 1)) && !e.german;
  const isPerson = !e.german || isSoonAfter(e, at, PEOPLE_FOLLOW) || isActing(e, next);
  // Wu Min: a short name may also be an abbreviation.
  if (isLast(e, at) && isFirst(e, next) && looksLikeName(e, next) && lengthOf(e, next) < 4 && !hasCapital(e, next + 1))
    return true;
  if (isLast(e, at) && isUnknownName(e, next) && !hasCapital(e, next + 1)) return isPerson;
  if (!isSureName(e, next) || !(isLast(e, next) || rosterBits(e, next) !== 0) || isPlace(e, next)) return false;
  return isPerson;
}

// Park Min-seo, Yu-na Kim.
function isBesideSyllables(e: Evidence, at: number): boolean {
  const isSurname = (one: number): boolean => isLast(e, one) && looksLikeName(e, one);
  if (isOfSyllables(e, at)) return gapBefore(e, at + 2) === GAP_SPACE && isSurname(at + 2);
  return isSurname(at) && gapBefore(e, at + 1) === GAP_SPACE && isOfSyllables(e, at + 1);
}

function isLastName(e: Evidence, at: number): boolean {
  const isSureSurname = isLast(e, at) && isSureName(e, at);
  if ((!isSureSurname && !endsAsSurname(e, at)) || !e.capitalsTell || isPlace(e, at) || lengthOf(e, at) < 4) return false;
  if (isAfter(e, at, ARTICLE | LOCATIVE) || gapBefore(e, at) === GAP_JOINT) return false;
  if (isPartOfPlace(e, at) || isOrganisationAfter(e, at)) return false;
  if (isPairedWithName(e, at)) return true;
  if (touchesNext(e, at) && hasCapital(e, at + 1) && !isLast(e, at + 1)) return false;
  if (touchesNext(e, at - 1) && hasCapital(e, at - 1) && gapBefore(e, at) === GAP_SPACE && !opensSentence(e, at - 1))
    return false;
  if (isSoonAfter(e, at, ROLE | NAMED)) return true;
  // With Kraus, since Wiesinger left; not `mit Wolff Möbeln`.
  const isAlone = gapBefore(e, at + 1) !== GAP_JOINT && !(touchesNext(e, at) && hasCapital(e, at + 1));
  if (e.german)
    return (
      (isSoonAfter(e, at, WITH) && (isActing(e, at) || (isSureSurname && isAlone))) || (isSureSurname && endsAsSurname(e, at))
    );
  return !opensSentence(e, at) || isActing(e, at);
}

// Quintus moans, Zog speaks: an unknown word is a person where it does what only people do.
function isSpeaker(e: Evidence, at: number): boolean {
  if (!e.capitalsTell || !isUnknownName(e, at) || !isSpeaking(e, at) || isAfter(e, at, ARTICLE)) return false;
  return !e.german || isFirst(e, at) || isLast(e, at);
}

function isSmallFirstName(e: Evidence, at: number): boolean {
  if (hasCapital(e, at) || !isFirst(e, at) || isCommon(e, at) || isPlace(e, at) || lengthOf(e, at) < 4) return false;
  if (hasCue(e, at, CALENDAR | ROLE | ACT | WITH | ORGANISATION)) return false;
  if (!isKnownFirst(e, at)) return e.allSmall && isActing(e, at);
  if (isAfter(e, at, ROLE | NAMED | TITLE | THANKS) || (isAfter(e, at, WITH) && hasCue(e, at - 2, THANKS))) return true;
  // People also write English where their language is another one: "the canteen is fine".
  return e.allSmall && (!isCommonInAny(e, at) || isAfter(e, at, WITH) || isActing(e, at) || isLast(e, at + 1));
}

// My manager, mein Chef; a plural role announces no name.
const isOwnRole = (e: Evidence, at: number): boolean =>
  hasCue(e, at, ROLE) && hasCue(e, at - 1, ARTICLE) && gapBefore(e, at + 1) === GAP_SPACE;

// Thanks to Jildau, un grand merci à jildau, my manager jildau: a word that is neither common nor a
// town is a name here.
function isThanked(e: Evidence, at: number): boolean {
  if (isSoonAfter(e, at, THANKS) && isUnknownName(e, at)) return !e.german || isFirst(e, at) || isLast(e, at);
  // Since Okonjo joined, but not `de Barcelona es`.
  const isOpened = isAfter(e, at, WITH) && !hasCue(e, at - 1, PARTICLE | LOCATIVE | AND) && !hasCue(e, at + 1, AND);
  if (isOpened && !e.german && e.capitalsTell && isUnknownName(e, at) && isActing(e, at)) return true;
  if (lengthOf(e, at) < 3 || (!(isAfter(e, at, WITH) && hasCue(e, at - 2, THANKS)) && !isOwnRole(e, at - 1))) return false;
  if (hasCapital(e, at)) return isUnknownName(e, at);
  if (isCommon(e, at) || isPlace(e, at) || hasAnyCue(e, at) || isMisspelt(e, at)) return false;
  // `my manager micromanages` contains no name; `my manager jildau is` does.
  return !isOwnRole(e, at - 1) || isFirst(e, at) || (isActing(e, at) && !hasCue(e, at + 1, AND));
}

function isPairOfUnknowns(e: Evidence, at: number): boolean {
  if (!e.capitalsTell || !isUnknownName(e, at) || !isUnknownName(e, at + 1) || gapBefore(e, at + 1) !== GAP_SPACE) return false;
  if ((touchesNext(e, at + 1) && hasCapital(e, at + 2)) || isAfter(e, at, ARTICLE | LOCATIVE)) return false;
  if (gapBefore(e, at) === GAP_SPACE && hasCapital(e, at - 1) && !opensSentence(e, at - 1)) return false;
  const explained = gapBefore(e, at + 2) === GAP_COMMA && hasCue(e, at + 2, ARTICLE);
  const isRoleHolder = !e.german && hasCue(e, at - 1, ACT) && hasCue(e, at - 2, ROLE);
  return explained || isRoleHolder || isSoonAfter(e, at, NAMED | ROLE | WITH) || isActing(e, at + 1);
}
