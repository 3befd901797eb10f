import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { PERSONAL_CATEGORIES, type Masker, type Span } from '@survey/text/masking/masker.ts';
import { Roster } from '@survey/text/masking/roster.ts';
import { percent, percentOfCases, type Row } from './row.ts';

const records = z.array(
  z.object({
    full_text: z.string(),
    template_id: z.int(),
    spans: z.array(z.object({ entity_type: z.string(), start_position: z.int(), end_position: z.int() })),
  }),
);

interface Labelled {
  readonly text: string;
  readonly gold: readonly Gold[];
  readonly found: readonly Span[];
}

interface Gold {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const NO_ROSTER = new Roster();
const ALL = new Set(PERSONAL_CATEGORIES);
const SAME = 0.9;
const SIMILAR = 0.5;

/**
 * Builds sentences from half of the templates: the rules were tuned on even ones, so odd ones show
 * how they generalise.
 */
async function readPresidio(masker: Masker, data: string, part: 'tuned' | 'held out'): Promise<Labelled[]> {
  const all = records.parse(JSON.parse(readFileSync(join(data, 'presidio', 'generated_large.json'), 'utf8')));
  const ofPart = all.filter(({ template_id }) => template_id % 2 === (part === 'tuned' ? 0 : 1));
  return Promise.all(
    ofPart.map(async ({ full_text: text, spans }) => ({
      text,
      gold: spans.map(({ entity_type: type, start_position: start, end_position: end }) => ({ type, start, end })),
      found: await masker.find({ text, language: 'en', roster: NO_ROSTER, categories: ALL }),
    })),
  );
}

export async function evaluatePresidio(masker: Masker, data: string, part: 'tuned' | 'held out'): Promise<Row[]> {
  const set = await readPresidio(masker, data, part);
  const row = (name: string, goal: string, figure: string): Row => ({ name: `${name}, ${part} templates`, goal, figure });
  const rate = (category: Span['category'], ...types: string[]) =>
    `${recall(set, types, category, SAME)} / ${precision(set, types, category)}`;
  return [
    row('PERSON recall/precision, IoU .9', '80 / 72', rate('name', 'PERSON')),
    row('characters of names left readable', '-', readable(set)),
    row('PHONE recall/precision, IoU .9', '95 / 90', rate('phone', 'PHONE_NUMBER')),
    row('EMAIL recall', '100', recall(set, ['EMAIL_ADDRESS'], 'email', SAME)),
    ...['US_SSN', 'IBAN_CODE', 'CREDIT_CARD', 'IP_ADDRESS'].map((type) =>
      row(`${type} recall`, '100', recall(set, [type], 'id', SAME)),
    ),
    row('address recall, IoU .5', '70', recall(withWholeAddresses(set), ['WHOLE_ADDRESS'], 'address', SIMILAR)),
    row('address characters masked', '85', charactersMasked(set, 'ADDRESS')),
  ];
}

function recall(set: readonly Labelled[], types: readonly string[], category: string, least: number): string {
  let all = 0;
  let hit = 0;
  for (const { gold, found } of set) {
    for (const one of gold.filter(({ type }) => types.includes(type))) {
      all++;
      if (found.some((span) => span.category === category && overlap(span, one) >= least)) hit++;
    }
  }
  return percentOfCases(hit, all);
}

function precision(set: readonly Labelled[], types: readonly string[], category: string): string {
  let all = 0;
  let hit = 0;
  for (const { gold, found } of set) {
    for (const span of found.filter((one) => one.category === category)) {
      all++;
      if (gold.some((one) => types.includes(one.type) && overlap(span, one) >= SAME)) hit++;
    }
  }
  return percentOfCases(hit, all);
}

function overlap(one: { start: number; end: number }, other: { start: number; end: number }): number {
  const common = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  return Math.max(0, common) / (Math.max(one.end, other.end) - Math.min(one.start, other.start));
}

// The set labels some addresses in parts and others as a whole, so adjacent parts count as one
// here.
function withWholeAddresses(set: readonly Labelled[]): Labelled[] {
  return set.map(({ text, gold, found }) => {
    const parts = gold
      .filter(({ type }) => type === 'ADDRESS' || type === 'LOCATION')
      .sort((one, other) => one.start - other.start);
    const whole: { type: string; start: number; end: number }[] = [];
    for (const { type, start, end } of parts) {
      const before = whole.at(-1);
      const isNext = before !== undefined && /^[\s,;>]*$/.test(text.slice(before.end, start));
      if (!isNext) whole.push({ type: type === 'ADDRESS' ? 'WHOLE_ADDRESS' : type, start, end });
      else if (type === 'ADDRESS') Object.assign(before, { type: 'WHOLE_ADDRESS', end });
      else before.end = end;
    }
    return { text, gold: whole, found };
  });
}

function charactersMasked(set: readonly Labelled[], type: string): string {
  const { all, masked } = characters(set, type);
  return percent(masked, all);
}

function readable(set: readonly Labelled[]): string {
  const { all, masked } = characters(set, 'PERSON');
  return percent(all - masked, all);
}

function characters(set: readonly Labelled[], type: string): { readonly all: number; readonly masked: number } {
  let all = 0;
  let masked = 0;
  for (const { gold, found } of set) {
    for (const one of gold.filter((each) => each.type === type)) {
      all += one.end - one.start;
      for (const span of found) masked += Math.max(0, Math.min(one.end, span.end) - Math.max(one.start, span.start));
    }
  }
  return { all, masked };
}
