import { allMatches } from '../all-matches.ts';
import { cueBefore, type NumberCue } from '../number-cues.ts';
import type { Span } from '../masker.ts';
import { certaintiesOf, findOtherNumbers, type OtherNumber } from './other-numbers.ts';
import { readingOf, type Reading } from './readings.ts';

// A text is divided into runs of digits and short runs of letters. Every sequence of a few of them
// may be a personal number, and some are known to be numbers of working life. Of all ways to read
// the text, the one wins whose readings are the most certain, counted by digits: two phone numbers
// in a row are read as two, and neither hides the other.

interface Run {
  readonly start: number;
  readonly end: number;
  readonly isDigits: boolean;
}

// A reading without one of a personal number is of working life.
interface PlacedReading extends OtherNumber {
  // Index of its first run.
  readonly from: number;
  readonly score: number;
  readonly reading?: Reading;
}

const RUN = /\d+|\p{L}+/gu;
const SHORT_WORD = /^[a-z]{1,6}$/i;
// What may separate two groups: at most three characters, of which one is a sign.
const BETWEEN = /^(?=.{0,3}$)[ ()\n]*[/.\-–]?[ ()\n]*$/s;
const SIGN_BEFORE = /(?:\+ ?\(?|\()$/;
const EXTENSION = /^,? ?(?:x|ext\.?|durchwahl|dw|poste|anexo|toestel) ?\d{1,5}(?![- ]?\d)/i;
// An extension is too short to be found as a number; years follow other meanings of these words.
const ANNOUNCED_EXTENSION =
  /(?<![\p{L}\p{N}])(?:extension|ext\.?|durchwahl|extensión|toestel(?:nummer)?|doorkiesnummer|(?<=mon )poste(?= (?:est le|no|n°)|\s?:))(?!\p{L})(?:[\s:]{1,2}(?:is|ist|lautet|est|es|le|la|el|number|nummer|nr\.?|no\.?|n°)(?![\p{L}])){0,2}[\s:(]{1,2}-?((?!(?:19|20)\d\d(?!\d))\d{3,5})(?![\p{L}\p{N}]|[-/.,]\d)/giu;
const NAMED_AFTER = /^[\s\-\\,(]{0,3}(?:office|fax|mobile|cell|büro|privat|bureau|oficina|kantoor)(?!\p{L})/iu;
// Scripts that write words and numbers without a space.
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]/u;
const LETTER = /[\p{L}\p{N}@#]/u;
// A short number may also count what follows: `1200000 mobile customers`.
const namedPhone = (digits: number): Reading => ({
  category: 'phone',
  source: 'phone-form',
  certainty: digits < 9 ? 0.85 : 0.95,
});
// A text with more possible numbers is not a usual answer, so every long number after these is
// masked.
const MAX_JUDGED = 2_000;
const MANY_NUMBERS: Reading = { category: 'phone', source: 'many-numbers', certainty: 0.7 };
const MAX_RUNS = 16;
const MAX_LENGTH = 34;
/** A personal number that no word announces has at least so many digits. */
export const MIN_DIGITS = 6;
// A number that touches a word must be sure, and long.
const TOUCHING = { certainty: 0.78, digits: 9 };
// What cannot be mistaken counts more, so that no longer number hides it.
const SURE = { certainty: 0.9, weight: 1.3 };
// Six digits need a phone's word close by.
const CLOSE = 16;
// Cues reach over the numbers between.
const NEXT_NUMBER = 6;

export interface Numbers {
  readonly personal: readonly Span[];
  readonly otherCertainties: Float32Array;
}

/** Finds personal numbers and numbers of working life. Linear in the text. */
export function findNumbers(text: string, language: string): Numbers {
  const runs = allMatches(text, RUN).map(({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
    isDigits: /^\d/.test(run),
  }));
  const readings: PlacedReading[][] = Array.from({ length: runs.length + 1 }, () => []);
  const others = findOtherNumbers(text);
  for (const other of others) {
    const digits = text.slice(other.start, other.end).replaceAll(/\D/g, '').length;
    readings[runAt(runs, other.end)]?.push({ ...other, from: runAt(runs, other.start), score: other.certainty * digits });
  }
  const context: Context = { language, cueOf: cuesOf(text, runs), judged: 0 };
  for (let from = 0; from < runs.length; from++)
    for (const { to, ...reading } of readFrom(text, runs, from, context)) readings[to]?.push(reading);
  const personal = mostCertain(text, readings);
  const otherCertainties = certaintiesOf(others, text);
  for (const { start, end } of personal) otherCertainties.fill(0, start, end);
  return { personal, otherCertainties };
}

/** Finds the extensions that a word announces: Durchwahl 4711. */
export function findExtensions(text: string): Span[] {
  return allMatches(text, ANNOUNCED_EXTENSION).map(({ 0: found, 1: digits = '', index }) => {
    const end = index + found.length;
    return { start: end - digits.length, end, category: 'phone', source: 'extension', confidence: 0.8 };
  });
}

// Index of the first run that ends behind an offset.
function runAt(runs: readonly Run[], offset: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.end ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

interface Context {
  readonly language: string;
  readonly cueOf: (index: number) => NumberCue | undefined;
  judged: number;
}

// The personal readings of the sequences that begin with a run; `to` is the run after each.
function readFrom(text: string, runs: readonly Run[], from: number, context: Context): (PlacedReading & { to: number })[] {
  const placed: (PlacedReading & { to: number })[] = [];
  const first = runs[from];
  if (first === undefined || !(first.isDigits || runs[from + 1]?.isDigits === true || runs[from + 2]?.isDigits === true))
    return placed;
  const isTouched = touches(text[first.start - 1]);
  const isAfterSign = text[first.start - 1] === '#';
  let compact = '';
  let digits = 0;
  for (let at = from; at < Math.min(runs.length, from + MAX_RUNS); at++) {
    const { start, end, isDigits } = runs[at] ?? first;
    const run = text.slice(start, end);
    if (!isDigits && !SHORT_WORD.test(run)) break;
    if (at > from && !BETWEEN.test(text.slice(runs[at - 1]?.end, start))) break;
    compact += run.toUpperCase();
    if (compact.length > MAX_LENGTH) break;
    if (isDigits) digits += run.length;
    if (digits < MIN_DIGITS) continue;
    const isTouching = isTouched || (text[end] !== '#' && touches(text[end]) && !EXTENSION.test(text.slice(end, end + 20)));
    const isNumber = digits === compact.length;
    if (isTouching && (isNumber ? compact.length < TOUCHING.digits : !isAfterSign)) continue;
    const sign = isNumber ? signBefore(text, first.start, end) : '';
    // The sign may also be one between two numbers.
    for (const start of sign === '' ? [first.start] : [first.start - sign.length, first.start]) {
      const reading = judge(text, { start, end, compact, isNumber }, context, from);
      if (reading === undefined || (isTouching && reading.certainty < TOUCHING.certainty)) continue;
      const { certainty } = reading;
      const weight = certainty >= SURE.certainty ? SURE.weight : 1;
      placed.push({ from, to: at + 1, start, end, certainty, score: weight * certainty * compact.length, reading });
    }
  }
  return placed;
}

function judge(
  text: string,
  { start, end, compact, isNumber }: { start: number; end: number; compact: string; isNumber: boolean },
  context: Context,
  from: number,
): Reading | undefined {
  if (++context.judged > MAX_JUDGED) return isNumber && compact.length >= 9 && compact.length <= 19 ? MANY_NUMBERS : undefined;
  if (isNumber && compact.length <= 15 && NAMED_AFTER.test(text.slice(end, end + 12))) return namedPhone(compact.length);
  const isPhoneClose = compact.length === MIN_DIGITS && cueBefore(text, start, CLOSE) === 'phone';
  return readingOf({
    value: text.slice(start, end),
    compact,
    language: context.language,
    cue: isNumber ? context.cueOf(from) : undefined,
    isPhoneClose,
  });
}

const touches = (character: string | undefined): boolean =>
  character !== undefined && LETTER.test(character) && !WITHOUT_SPACES.test(character);

// A bracket that closes in the number, or the sign of a country's code.
function signBefore(text: string, start: number, end: number): string {
  const [sign = ''] = SIGN_BEFORE.exec(text.slice(Math.max(0, start - 3), start)) ?? [];
  return sign === '(' && !text.slice(start, end).includes(')') ? '' : sign;
}

// A number that follows another one closely has the cue of that one, unless it has its own.
function cuesOf(text: string, runs: readonly Run[]): Context['cueOf'] {
  const cues = new Map<number, NumberCue | undefined>();
  return (index) => {
    if (cues.has(index)) return cues.get(index);
    const start = runs[index]?.start ?? 0;
    let cue = cueBefore(text, start);
    for (let before = index - 1; cue === undefined && before >= 0 && start - (runs[before]?.end ?? 0) <= NEXT_NUMBER; before--)
      if (cues.has(before)) cue = cues.get(before);
    cues.set(index, cue);
    return cue;
  };
}

// Returns the personal numbers of the reading with the highest sum of scores.
function mostCertain(text: string, readings: readonly (readonly PlacedReading[])[]): Span[] {
  const best: { score: number; last?: PlacedReading }[] = [];
  for (const [to, ending] of readings.entries()) {
    const choice: { score: number; last?: PlacedReading } = { score: best[to - 1]?.score ?? 0 };
    for (const reading of ending) {
      const score = (best[reading.from]?.score ?? 0) + reading.score;
      if (score > choice.score) Object.assign(choice, { score, last: reading });
    }
    best.push(choice);
  }
  const personal: Span[] = [];
  for (let at = readings.length - 1; at > 0;) {
    const last = best[at]?.last;
    at = last?.from ?? at - 1;
    if (last?.reading === undefined) continue;
    const { category, source, certainty: confidence } = last.reading;
    const extension = category === 'phone' ? (EXTENSION.exec(text.slice(last.end, last.end + 20))?.[0] ?? '') : '';
    personal.push({ start: last.start, end: last.end + extension.length, category, source, confidence });
  }
  return personal;
}
