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
  const theirs = spans.filter(({ start, end, category }) => {
    const value = normalise(text.slice(start, end)).text;
    return roster.hasWordOf(category === 'email' ? (value.split('@', 1)[0] ?? value) : value);
  });
  return maskText(text, theirs);
}
