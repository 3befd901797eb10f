import { allMatches } from '../all-matches.ts';
import { fold } from '../letters.ts';
import type { Span } from '../masker.ts';
import { ANY_COMMON, nameLists, PLACE, TOWN } from '../names/name-lists.ts';
import { ADDRESS_FORMS, NEXT_PART } from './street-forms.ts';

interface Part {
  start: number;
  end: number;
  source: string;
}

const SHOUTED_TOWN = /^\p{Lu}{2,}(?:[ '’-]\p{Lu}{2,})*$/u;
const A_CAPITAL = /\p{Lu}/u;
// Words that end like street names.
const NO_STREET =
  /(?:idea|think|note|touch|lauf)pad|(?:arbeits|park|stell|steck|sitz|stand|speicher|lager|spiel|ausbildungs|studien|schlaf|treff|cam)platz|(?:ober|super|floh|bau|wochen|arbeits|stellen|welt|aktien)markt|(?:lande|kleider|montage)steig/iu;
const MAX_PARTS = 6;
const MAX_PART = 140;
const NUMBER_BEFORE = /(?<![\p{L}\p{N}.,])\d{1,6}[a-z]?,? $/u;
const A_DIGIT = /\d/;
// 3 May 2024 and 8 Sep 08 are also capitalised words between numbers.
const DATE =
  /(?<!\p{L})(?:jan(?:uary?|uari|vier)?|feb(?:ruary?|ruari)?|f[eé]vrier|mar(?:ch|s|zo)?|märz|maart|apr(?:il)?|avril|abril|ma[iyo]|mei|june?|juni|juin|junio|july?|juli|juillet|julio|aug(?:ust|ustus)?|ao[uû]t|agosto|sept?(?:ember|embre|tiembre)?|o[ck]t(?:ober|obre|ubre)?|nov(?:ember|embre|iembre)?|de[cz](?:ember|iembre)?|d[eé]cembre|enero|febrero)\.? |(?:19|20)\d\d$/iu;

/**
 * Finds postal addresses: streets with numbers, mailboxes and postcodes, each with adjacent unit,
 * town, region and country.
 */
export function findAddresses(lines: string): Span[] {
  // A line may end in an address.
  const joinedLines = lines.replaceAll(/(?<=[\p{L}\p{N},])\n(?=[\p{L}\p{N}])/gu, ' ');
  const small = !A_CAPITAL.test(joinedLines);
  const text = small ? withCapitals(joinedLines) : joinedLines;
  const parts = findParts(text, small);
  const spans: Span[] = [];
  for (let at = 0; at < parts.length; at++) {
    const { start, source } = parts[at] ?? { start: 0, source: '' };
    let end = extend(text, parts[at]?.end ?? 0);
    while ((parts[at + 1]?.start ?? Infinity) <= end + 2) end = Math.max(end, extend(text, parts[++at]?.end ?? 0));
    spans.push({ start: withNumberBefore(text, start), end, category: 'address', source, confidence: 0.8 });
  }
  return spans;
}

// In text without capitals, every word gets one, because the forms recognise names by their
// capitals. The length in code units does not change.
function withCapitals(text: string): string {
  return text.replaceAll(/(?<!\p{L})\p{Ll}/gu, (letter) =>
    letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter,
  );
}

// Sorted, with overlapping parts merged.
function findParts(text: string, small: boolean): Part[] {
  const parts: Part[] = [];
  for (const { pattern, hint, source, needsPlace, needsCapitals, needsName } of ADDRESS_FORMS) {
    if ((small && needsCapitals) || !hint.test(text)) continue;
    for (const match of allMatches(text, pattern)) {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].length - value.length;
      if (isAddress(value, needsPlace, needsName)) parts.push({ start, end: start + value.trimEnd().length, source });
    }
  }
  parts.sort((one, other) => one.start - other.start);
  const merged: Part[] = [];
  for (const part of parts) {
    const before = merged.at(-1);
    if (before !== undefined && part.start <= before.end) before.end = Math.max(before.end, part.end);
    else merged.push(part);
  }
  return merged;
}

function isAddress(value: string, needsPlace: boolean, needsName: boolean): boolean {
  if (!A_DIGIT.test(value) || NO_STREET.test(value) || (needsPlace && !endsInPlace(value))) return false;
  if (needsName && !needsPlace && DATE.test(value)) return false;
  return !needsName || wordsOf(value).some((word) => word.length > 2 && !isCommon(word));
}

const bitsOf = (word: string): number => nameLists.bitsOfWord(fold(word));
const wordsOf = (value: string): string[] => value.match(/[\p{L}\p{M}]{2,30}/gu) ?? [];
const hasPlace = (value: string): boolean => wordsOf(value).some((word) => (bitsOf(word) & (PLACE | TOWN)) !== 0);
const endsInPlace = (value: string): boolean => hasPlace(value.slice(value.search(/[^\d]*$/)));
const isCommon = (word: string): boolean => (bitsOf(word) & ANY_COMMON) !== 0;
const startsCommon = (value: string): boolean => isCommon(wordsOf(value)[0] ?? '');

// Words belong to an address after a postcode, before one, when they name a known town, or after a
// comma when their first word is not a common one.
function extend(text: string, from: number): number {
  let end = from;
  let at = from;
  let behindPostcode = /\d{4,5}$|\d[A-Z]{2}$/.test(text.slice(Math.max(0, from - 5), from));
  for (let part = 0; part < MAX_PARTS; part++) {
    const match = NEXT_PART.exec(text.slice(at, at + MAX_PART));
    if (match === null) return end;
    at += match[0].length;
    const { words, number } = match.groups ?? {};
    if (
      words === undefined ||
      behindPostcode ||
      hasPlace(words) ||
      (match[0].startsWith(',') && (!startsCommon(words) || SHOUTED_TOWN.test(words)))
    )
      end = at;
    behindPostcode = number !== undefined;
  }
  return end;
}

function withNumberBefore(text: string, start: number): number {
  return start - (NUMBER_BEFORE.exec(text.slice(Math.max(0, start - 9), start))?.[0].length ?? 0);
}
