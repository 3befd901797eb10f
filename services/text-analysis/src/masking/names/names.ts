import type { AnswerToMask, Span } from '../masker.ts';
import { NAMED_THINGS } from './cue-words.ts';
import { readEvidence, type Evidence } from './evidence.ts';
import { lastWordOfName } from './name-extent.ts';
import { NAME_RULES, type NameRule } from './name-start.ts';

/** People's names: the rules of name-start.ts say where one starts, name-extent.ts how far it goes. */
export function findNames(answer: AnswerToMask): Span[] {
  const evidence = readEvidence(answer);
  const { words } = evidence;
  const spans: Span[] = [];
  for (let at = 0; at < words.count; at++) {
    const rule = ruleFor(evidence, at);
    if (rule === undefined) continue;
    const last = lastWordOfName(evidence, at);
    const start = words.start[at] ?? 0;
    const end = words.end[last] ?? 0;
    const { source, confidence } = rule;
    if (!isThing(answer.text, words.start[at - 1] ?? start, words.end[last + 1] ?? end))
      spans.push({ start, end, category: 'name', source, confidence });
    at = last;
  }
  return spans;
}

function ruleFor(e: Evidence, at: number): NameRule | undefined {
  return NAME_RULES.find(({ applies }) => applies(e, at));
}

// The name with the word before and after it, where a firm or the like bears that name.
function isThing(text: string, start: number, end: number): boolean {
  if (end - start > 60) return false;
  const around = text
    .slice(start, end)
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, ' ');
  return NAMED_THINGS.some((thing) => around.includes(thing));
}
