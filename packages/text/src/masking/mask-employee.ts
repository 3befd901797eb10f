import { normalise } from '../words/normalise.ts';
import { maskText } from './mask-text.ts';
import type { AnswerToMask, Masker, PersonalCategory } from './masker.ts';

const CATEGORIES: ReadonlySet<PersonalCategory> = new Set(['name', 'email']);

/**
 * Masks the names and e-mail addresses in a text that have a word of the roster, and leaves all
 * others: with the roster of one employee, those that may mean this employee.
 */
export async function maskEmployee(
  masker: Masker,
  { text, language, roster }: Omit<AnswerToMask, 'categories'>,
): Promise<string> {
  // Fast path: nearly every text.
  if (!roster.hasWordOf(text)) return text;
  const spans = await masker.find({ text, language, roster, categories: CATEGORIES });
  const theirs = spans.filter(({ start, end }) => {
    // Of an address, what precedes its domain.
    const [name = ''] = normalise(text.slice(start, end)).text.split('@', 1);
    return roster.hasWordOf(name);
  });
  return maskText(text, theirs);
}
