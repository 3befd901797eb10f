import type { Masker } from '@survey/text/masking/masker.ts';
import { percentOfCases, type Row } from './row.ts';
import { isHidden, maskSentences, writeSentences } from './survey-sentences.ts';

const PARTS = ['held-out.', 'second.'];

/** Measures names without a roster by the origin of the names, in English survey sentences. */
export async function evaluateGroups(masker: Masker, data: string): Promise<Row[]> {
  const groups = new Map<string, { cases: number; hidden: number }>();
  for (const part of PARTS) {
    for (const { text, values, people, spans } of await maskSentences(masker, writeSentences(data, 'en', part), 0)) {
      for (const [at, value] of values.filter(({ category }) => category === 'name').entries()) {
        const name = people[at]?.NameSet ?? '';
        const group = groups.get(name) ?? { cases: 0, hidden: 0 };
        groups.set(name, { cases: group.cases + 1, hidden: group.hidden + (isHidden(text, value, spans) ? 1 : 0) });
      }
    }
  }
  return [...groups]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([group, { cases, hidden }]) => ({ name: `names hidden, ${group}`, goal: '', figure: percentOfCases(hidden, cases) }));
}
