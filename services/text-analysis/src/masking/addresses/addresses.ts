import { fold } from '../letters.ts';
import type { Span } from '../masker.ts';
import { nameLists, PLACE, TOWN } from '../names/name-lists.ts';
import { BETWEEN_NUMBERS, CUED_FORM, NEXT_PART, POSTCODE_FORMS, STREET_FORMS } from './street-forms.ts';

interface Part {
  start: number;
  end: number;
  source: string;
}

const MOST_PARTS = 6;
const LONGEST_PART = 140;
const NUMBER_BEFORE = /(?<![\p{L}\p{N}.,])\d{1,6}[a-z]?,? $/u;
const A_DIGIT = /\d/;

/** Postal addresses: streets with their numbers, mailboxes and postcodes, each with the unit, town, region and country around it. */
export function findAddresses(text: string): Span[] {
  if (!A_DIGIT.test(text)) return [];
  const parts = findParts(text);
  const spans: Span[] = [];
  for (let at = 0; at < parts.length; at++) {
    const { start, source } = parts[at] ?? { start: 0, source: '' };
    let end = extend(text, parts[at]?.end ?? 0);
    while ((parts[at + 1]?.start ?? Infinity) <= end + 2) end = Math.max(end, extend(text, parts[++at]?.end ?? 0));
    spans.push({ start: withNumberBefore(text, start), end, category: 'address', source, confidence: 0.8 });
  }
  return spans;
}

// Overlapping ones as one, sorted.
function findParts(text: string): Part[] {
  const found: Part[] = [];
  const add = (pattern: RegExp, source: string, accepts: (value: string) => boolean) => {
    for (const match of text.matchAll(pattern)) {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].length - value.length;
      if (accepts(value)) found.push({ start, end: start + value.trimEnd().length, source });
    }
  };
  for (const form of STREET_FORMS) add(form, 'street', (value) => A_DIGIT.test(value));
  add(BETWEEN_NUMBERS, 'street', (value) => !isCalendar(value));
  for (const form of POSTCODE_FORMS) add(form, 'postcode', (value) => !/^\d{5} /.test(value) || hasPlace(value));
  add(CUED_FORM, 'address-cue', (value) => A_DIGIT.test(value));
  found.sort((one, other) => one.start - other.start);
  const merged: Part[] = [];
  for (const part of found) {
    const before = merged.at(-1);
    if (before !== undefined && part.start <= before.end) before.end = Math.max(before.end, part.end);
    else merged.push(part);
  }
  return merged;
}

// 3 May 2024 is between numbers too.
const isCalendar = (value: string): boolean => /(?:19|20)\d\d$/.test(value);

const hasPlace = (value: string): boolean => (value.match(/[\p{L}\p{M}]{2,30}/gu) ?? []).some(isPlace);
const isPlace = (word: string): boolean => (nameLists.bitsOfWord(fold(word)) & (PLACE | TOWN)) !== 0;

// Words are of the address when a postcode comes behind them, they are a known place, or they end the line.
function extend(text: string, from: number): number {
  let end = from;
  let at = from;
  for (let part = 0; part < MOST_PARTS; part++) {
    const match = NEXT_PART.exec(text.slice(at, at + LONGEST_PART));
    if (match === null) return end;
    at += match[0].length;
    if (match.groups?.words === undefined || hasPlace(match.groups.words) || /^\s*(?:\n|$)/.test(text.slice(at, at + 4)))
      end = at;
  }
  return end;
}

function withNumberBefore(text: string, start: number): number {
  return start - (NUMBER_BEFORE.exec(text.slice(Math.max(0, start - 9), start))?.[0].length ?? 0);
}
