import { fold } from '../letters.ts';
import { CAPITAL, GAP_BREAK, GAP_COMMA, GAP_DOT, GAP_SPACE, SHOUTED } from '../words.ts';
import {
  ACT,
  AND,
  ARTICLE,
  CALENDAR,
  LOCATIVE,
  NAMED,
  NAME_NOUN,
  ORGANISATION,
  PARTICLE,
  PLACE_BEFORE,
  ROLE,
  THANKS,
  TITLE,
  WITH,
} from './cue-words.ts';
import type { Evidence } from './evidence.ts';
import { ANY_COMMON, ENGLISH_WORD, FIRST, GENITIVE, KNOWN_FIRST, LAST, nameLists, PLACE, PRODUCT, TOWN } from './name-lists.ts';

// Facts about one word or its neighbour. An index outside the text yields no facts.

export const gapBefore = (e: Evidence, at: number): number => (at < e.words.count ? (e.words.gap[at] ?? GAP_BREAK) : GAP_BREAK);
// A dot after a short word may end an abbreviation, but not where the word is common: team. Long
export const opensSentence = (e: Evidence, at: number): boolean =>
  gapBefore(e, at) === GAP_BREAK || (gapBefore(e, at) === GAP_DOT && isCommon(e, at - 1) && !hasCue(e, at - 1, TITLE));
const wordAt = (e: Evidence, at: number): string => e.text.slice(e.words.start[at], e.words.end[at]);
export const lengthOf = (e: Evidence, at: number): number => (e.words.end[at] ?? 0) - (e.words.start[at] ?? 0);

const inside = (e: Evidence, at: number): boolean => at >= 0 && at < e.words.count;
export const hasCue = (e: Evidence, at: number, cue: number): boolean => inside(e, at) && ((e.cues[at] ?? 0) & cue) !== 0;
export const hasAnyCue = (e: Evidence, at: number): boolean => inside(e, at) && (e.cues[at] ?? 0) !== 0;
const isListed = (e: Evidence, at: number, bits: number): boolean => inside(e, at) && ((e.lists[at] ?? 0) & bits) !== 0;
const hasShape = (e: Evidence, at: number, shape: number): boolean => inside(e, at) && ((e.words.shape[at] ?? 0) & shape) !== 0;

export const isFirst = (e: Evidence, at: number): boolean => isListed(e, at, FIRST);
export const isKnownFirst = (e: Evidence, at: number): boolean => isListed(e, at, KNOWN_FIRST);
export const isLast = (e: Evidence, at: number): boolean => isListed(e, at, LAST);
export const isGenitive = (e: Evidence, at: number): boolean => isListed(e, at, GENITIVE);
export const isPlace = (e: Evidence, at: number): boolean => isListed(e, at, PLACE);

/**
 * Checks for a common word of the text's language. English words count in every language, because
 * all mix them in, except well-known first names.
 */
export const isCommon = (e: Evidence, at: number): boolean =>
  isListed(e, at, e.common) || (isListed(e, at, ENGLISH_WORD) && !isKnownFirst(e, at));

/** Checks for a common word of any language, well-known first names included. */
export const isCommonInAny = (e: Evidence, at: number): boolean => isListed(e, at, ANY_COMMON | ENGLISH_WORD);

/** Checks for a surname that is only the name of a company or product besides: Sara Jenkins. */
export const isCompanySurname = (e: Evidence, at: number): boolean =>
  isLast(e, at) && isListed(e, at, PRODUCT) && !isListed(e, at, (e.common | ENGLISH_WORD) & ~PRODUCT);

export const rosterBits = (e: Evidence, at: number): number => (inside(e, at) ? (e.roster[at] ?? 0) : 0);
export const hasCapital = (e: Evidence, at: number): boolean => hasShape(e, at, CAPITAL);
const isShouted = (e: Evidence, at: number): boolean => hasShape(e, at, SHOUTED);
export const isInitial = (e: Evidence, at: number): boolean => hasCapital(e, at) && lengthOf(e, at) === 1;

/**
 * Checks for the spelling of a name: with a capital, and no abbreviation such as HR or SAP unless
 * it is in the lists.
 */
export function looksLikeName(e: Evidence, at: number): boolean {
  if (!hasCapital(e, at) || lengthOf(e, at) < 2) return false;
  if (!isShouted(e, at)) return true;
  if (lengthOf(e, at) < 4) return lengthOf(e, at) === 3 && rosterBits(e, at) !== 0 && !isCommon(e, at);
  // Among other words in capitals, a rare name of the lists is there by chance.
  const stressed = isShouted(e, at - 1) || isShouted(e, at + 1);
  return isKnownFirst(e, at) || rosterBits(e, at) !== 0 || (isLast(e, at) && (!stressed || isKnownFirst(e, at - 1)));
}

const GERMAN_NOUN =
  /(?:ung|ungen|keit|heit|schaft|tion|tionen|ismus|tät|ling|nis|tum|zeit|plan|pläne|arbeit|platz|raum|dienst|stelle|woche|jahr|tag|tage|geld|team|system|projekt|abteilung|leiter|leiterin|führer|führerin|berater|beraterin|meister|assistent|assistentin|manager|managerin|bereich)$/;

/**
 * Checks whether a capitalised word has a German noun ending; the number of compounds is unlimited.
 */
export const isGermanNoun = (e: Evidence, at: number): boolean => e.german && GERMAN_NOUN.test(wordAt(e, at).toLowerCase());

const SURNAME_ENDING =
  /(?:d[oó]ttir|ss?on|ss?en|datter|[oe]v|[oe]va|sk[iy]|skaya|ska|i[cćč]|enko|chuk|czyk|wicz|shvili|adze|[iy]an|nen|escu|opoulos|idis|akis)$/i;
const SHORTEST_WITH_ENDING = 6;

/**
 * Checks whether an unknown word has a surname ending of many countries: Birgisdóttir, Khadzhiyev,
 * Virtanen.
 */
export const endsAsSurname = (e: Evidence, at: number): boolean =>
  isUnknownName(e, at) && lengthOf(e, at) >= SHORTEST_WITH_ENDING && SURNAME_ENDING.test(wordAt(e, at));

/** Cues of words that are not names by themselves. */
export const NO_NAME = CALENDAR | ORGANISATION | TITLE | ROLE | NAME_NOUN | NAMED;

/** Checks for a capitalised unknown word: no common word, town, role, month or organisation. */
export function isUnknownName(e: Evidence, at: number): boolean {
  return (
    looksLikeName(e, at) &&
    lengthOf(e, at) > 2 &&
    !isCommon(e, at) &&
    !isPlace(e, at) &&
    !hasCue(e, at, NO_NAME) &&
    !isGermanNoun(e, at)
  );
}

const SYLLABLE = 6;

/** Checks for the first syllable of a Korean or Chinese first name: Min-seo, Yu-na. */
export const isOfSyllables = (e: Evidence, at: number): boolean =>
  looksLikeName(e, at) &&
  e.text.slice(e.words.end[at], e.words.start[at + 1]) === '-' &&
  !hasCapital(e, at + 1) &&
  !isCommon(e, at + 1) &&
  [at, at + 1].every((one) => lengthOf(e, one) <= SYLLABLE && isListed(e, one, FIRST | LAST));

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
const SHORTEST_MISSPELT = 4;
const LONGEST_MISSPELT = 24;

/**
 * Checks for a word in lower case, in no list of names, that is a common word but for one letter:
 * `my boss nevr lisens`. Most short words are one letter from another, so of these only a missing
 * or a swapped letter counts.
 */
export function isMisspelt(e: Evidence, at: number): boolean {
  if (hasCapital(e, at) || isFirst(e, at) || isLast(e, at) || rosterBits(e, at) !== 0) return false;
  const word = fold(wordAt(e, at));
  if (word.length < SHORTEST_MISSPELT || word.length > LONGEST_MISSPELT) return false;
  const isWord = (spelling: string): boolean => (nameLists.bitsOfWord(spelling) & (e.common | ENGLISH_WORD)) !== 0;
  for (let place = 0; place <= word.length; place++) {
    const before = word.slice(0, place);
    const [here = '', next = ''] = word.slice(place);
    if (isWord(`${before}${next}${here}${word.slice(place + 2)}`)) return true;
    if (LETTERS.some((letter) => isWord(`${before}${letter}${word.slice(place)}`))) return true;
    if (word.length === SHORTEST_MISSPELT) continue;
    const after = word.slice(place + 1);
    if (isWord(`${before}${after}`) || LETTERS.some((letter) => isWord(`${before}${letter}${after}`))) return true;
  }
  return false;
}

/** Checks for a capitalised word of the lists or the roster that is not also a common word. */
export function isSureName(e: Evidence, at: number): boolean {
  if (!looksLikeName(e, at) || isCommon(e, at) || hasCue(e, at, NO_NAME)) return false;
  return isFirst(e, at) || isLast(e, at) || rosterBits(e, at) !== 0;
}

const MAX_PARTICLES = 4;
const DIRECT = [GAP_SPACE, GAP_DOT];

/**
 * Checks whether a word with this cue directly precedes, or precedes the particles of a surname
 * (Frau van der Berg).
 */
export function isAfter(e: Evidence, at: number, cue: number): boolean {
  if (!DIRECT.includes(gapBefore(e, at))) return false;
  let before = at - 1;
  while (
    before > 0 &&
    at - before < MAX_PARTICLES &&
    hasCue(e, before, PARTICLE) &&
    !hasCue(e, before, cue) &&
    DIRECT.includes(gapBefore(e, before))
  )
    before--;
  return hasCue(e, before, cue);
}

const SHORTEST_SMALL_TITLE = 3;

/**
 * Checks for a preceding title; a short one such as M or Ms needs its capital or its dot. In
 * capitals it is an abbreviation: HR, MS Teams.
 */
export function isTitledWord(e: Evidence, at: number): boolean {
  if (!isAfter(e, at, TITLE)) return false;
  const before = at - 1;
  return (
    !hasCue(e, before, TITLE) ||
    (hasCapital(e, before) && (!isShouted(e, before) || lengthOf(e, before) >= SHORTEST_SMALL_TITLE || !e.capitalsTell)) ||
    lengthOf(e, before) >= SHORTEST_SMALL_TITLE ||
    (gapBefore(e, at) === GAP_DOT && !hasCapital(e, at))
  );
}

/** Checks for a preceding capitalised Saint, Port, New or the like. */
export const isPartOfPlace = (e: Evidence, at: number): boolean =>
  gapBefore(e, at) <= GAP_DOT && hasCue(e, at - 1, PLACE_BEFORE) && hasCapital(e, at - 1);

/** Checks whether only an opening bracket is before a word: Chef (Krause). */
export const isBracketed = (e: Evidence, at: number): boolean =>
  at > 0 && e.text.slice(e.words.end[at - 1], e.words.start[at]) === ' (';

/** Like isAfter, but allows a comma or a bracket: thanks, Anna; my manager (Anna). */
export function isSoonAfter(e: Evidence, at: number, cue: number): boolean {
  if (isAfter(e, at, cue)) return true;
  return hasCue(e, at - 1, cue) && (gapBefore(e, at) === GAP_COMMA || isBracketed(e, at));
}

// Articles of languages whose common words lack most forms of verbs; in `Ana la ayuda`, la is none.
const ARTICLES_AFTER_VERB = new Set(['el', 'un', 'una', 'het', 'een']);

const PREPOSITIONS = new Set('a con contra de desde entre para por sin door met over tegen van voor zonder'.split(' '));

/**
 * Checks for a verb with an object: `Leo el boletín`, `lea el correo`, but not `Leo el jefe` or
 * `sin leo el turno`.
 */
export const isVerbOfObject = (e: Evidence, at: number): boolean =>
  (opensSentence(e, at) || (!hasCapital(e, at) && !PREPOSITIONS.has(fold(wordAt(e, at - 1))))) &&
  gapBefore(e, at + 1) === GAP_SPACE &&
  ARTICLES_AFTER_VERB.has(wordAt(e, at + 1)) &&
  !hasCapital(e, at + 2) &&
  !hasCue(e, at + 2, ROLE);

/** Checks for a place by the word before it: in Lincoln, en León, but not `merci à Nancy`. */
export const isPlaceVisited = (e: Evidence, at: number): boolean =>
  isListed(e, at, PLACE | TOWN) && isAfter(e, at, LOCATIVE) && !hasCue(e, at - 2, THANKS) && !isSureName(e, at + 1);

const SITES = /^(?:office|site|depot|warehouse|plant|factory|branch|campus|hub)s?$/;
// Folded, with the preposition.
const SITED = new RegExp(
  `^(?:${[
    '(?:office|site|depot|warehouse|plant|factory|branch|campus|werk|standort|buro|filiale|lager|kantoor|vestiging|fabriek) (?:in|te)',
    '(?:usine|agence|bureau|site|sede|oficina|planta|fabrica) en',
    '(?:sede|planta|fabrica|delegacion|usine|nadie|gente|personne|gens) de',
    '(?:viene[ns]?|va[ns]?|voy|vamos|ir) a',
    '(?:people|staff|colleagues|everyone|nobody|live|lives|than) in|(?:leute|kollegen|niemand|alle|wohne) (?:in|aus)|(?:gens|collegues|habite) a',
    '(?:gente|companeros|vivo|que) en|(?:mensen|iedereen|niemand|woon|dan) (?:in|uit)',
    '(?:mov(?:e[ds]?|ing)|relocat(?:e[ds]?|ing|ion)|commut(?:e[ds]?|ing)) to',
    '(?:umzug|umziehen|ziehen|fahrt|fahren) nach',
    '(?:demenage[rsz]?|demenagement|demenageons|mudanza|mudamos|mudarnos|traslado|trasladamos) a',
    '(?:verhuizing|verhuizen|verhuisd|verhuist) naar',
  ].join('|')})$`,
);

// Rosario es una ciudad, Lincoln is a nice town.
const IS_TOWN =
  /^ (?:is|ist|est|es) (?:an?|eine?|une?|una|een) (?:\p{L}{2,12} ){0,2}(?:(?:city|town|village)(?= ?(?:[.,;:!?]|$)| (?:in|near|with|and) )|(?:stadt|dorf|ville|ciudad|pueblo|stad|dorp)(?!\p{L}))/iu;

/** Checks for a town by what is said of it. */
export const isTown = (e: Evidence, at: number): boolean =>
  IS_TOWN.test(e.text.slice(e.words.end[at], (e.words.end[at] ?? 0) + 50));

/** Checks for a place by what is there: the Milton Keynes office, moved to Ann Arbor. */
export function isLocated(e: Evidence, first: number, last: number): boolean {
  if (
    gapBefore(e, first) !== GAP_SPACE ||
    first < 1 ||
    /^['’]s/.test(e.text.slice(e.words.end[last], (e.words.end[last] ?? 0) + 2))
  )
    return false;
  const isSite = gapBefore(e, last + 1) === GAP_SPACE && SITES.test(wordAt(e, last + 1));
  if (isSite && hasCue(e, first - 1, ARTICLE)) return true;
  return first > 1 && SITED.test(fold(`${wordAt(e, first - 2)} ${wordAt(e, first - 1)}`.toLowerCase()));
}

/** Checks whether a verb of a person directly follows: Anna said, Anna's, Anna hilft. */
export function isActing(e: Evidence, at: number): boolean {
  return gapBefore(e, at + 1) < GAP_DOT && hasCue(e, at + 1, ACT) && !hasCapital(e, at + 1);
}

// Verbs of which only people are the subject, and what may stand before them. Folded.
const SPEAKING = new RegExp(
  `^(?:${[
    'moans|moaned|whines|grumbles|gossips|swears|swore|smokes|winks|yells|yelled|speaks|spoke|said|says|tells|told|asks|asked|(?:shout|yell|scream|listen|complain)(?:s|ed)|repl(?:ies|ied)|(?:refuse|blame|praise|ignore|promise)[sd]|(?:interrupt|bull(?:ie)?|favou?r|delegate|nag|sulk)s|forgets|forgot|bullied',
    'jammert|meckert|lastert|flucht|raucht|murrt|sagte?|fragte?|schreit|schrie|horte?|redete?|spricht|sprach|lacht|lugt|brullt|(?:be)?antwortete?|ignorierte?|verspr(?:icht|ach)|unterbr(?:icht|ach)|verg(?:isst|ass)|bevorzugte?|delegierte?|schikanierte?|prahlte?',
    'plaint|plaignait|rale|raconte|fume|ricane|chuchote|dit|disait|crie|criait|ecoute|ecoutait|repond|repondait|parle|parlait|ment|rit|(?:ignor|oubli|favoris|delegu|harcel)(?:e|ait)|promet|promettait|interrompt|interrompait',
    'queja|quejaba|fuma|presume|cuchichea|dice|dijo|decia|grita|grito|gritaba|escucha|escuchaba|responde|respondia|contesta|habla|hablaba|miente|(?:ignor|olvid|deleg|acos)(?:a|aba)|promet(?:e|io|ia)|interrump(?:e|io|ia)|favorec(?:e|ia)',
    'klaagt|klaagde|zeurt|roddelt|vloekt|rookt|spreekt|sprak|zegt|zei|schreeuwt|schreeuwde|luistert|luisterde|praat|praatte|antwoordt?|antwoordde|liegt|negeert|negeerde|belooft|beloofde|onderbreekt|onderbrak|vergeet|vergat|delegeert|pest|pestte',
  ].join('|')})$`,
);
const BEFORE_VERB = /^(?:always|never|no|me|nos|le|les|nunca|siempre|ne|n|m|nous|se)$/;

/** Checks whether a person speaks or listens, whatever the word before means: April said no. */
export function isSpeaking(e: Evidence, at: number): boolean {
  let verb = at + 1;
  while (verb - at < 3 && touchesNext(e, verb - 1) && BEFORE_VERB.test(fold(wordAt(e, verb)))) verb++;
  return touchesNext(e, verb - 1) && SPEAKING.test(fold(wordAt(e, verb)));
}

/** Checks for a second word of the same kind in lower case, which no name has: Klein und fein. */
export const isPairedWithWord = (e: Evidence, at: number): boolean => hasCue(e, at + 1, AND) && !hasCapital(e, at + 2);

/** Checks for an English verb of one person, which no question has behind a name: Will helps. */
export const isDoing = (e: Evidence, at: number): boolean =>
  isActing(e, at) && isListed(e, at + 1, ENGLISH_WORD) && /^(?!always)[a-z]{4,}s$/.test(wordAt(e, at + 1));

/** Checks whether the next word could be the next part of the same name. */
export const touchesNext = (e: Evidence, at: number): boolean => gapBefore(e, at + 1) < GAP_DOT;

/**
 * Checks whether the next word makes this one an organisation or a place: Grace Church, Hyde Park.
 * It may be a surname where a person is announced or acts: my manager Grace Park, Sarah Park helps.
 */
export function isOrganisationAfter(e: Evidence, at: number): boolean {
  const next = at + 1;
  if (!hasCue(e, next, ORGANISATION) || !hasCapital(e, next) || !touchesNext(e, at)) return false;
  if (!isKnownFirst(e, at) || !isLast(e, next) || isPlace(e, at)) return true;
  const isIntroduced = hasCue(e, at - 2, ROLE | THANKS) && hasCue(e, at - 1, ACT | WITH);
  return !isIntroduced && !isSoonAfter(e, at, TITLE | ROLE | NAMED) && (isCommon(e, at) || !isActing(e, next));
}
