import type { PersonalCategory, Span } from './masker.ts';

// One fixed token per category: neither length nor a number may link two answers that name the same person.
const TOKENS: Readonly<Record<PersonalCategory, string>> = {
  name: '[NAME]',
  email: '[EMAIL]',
  phone: '[PHONE]',
  address: '[ADDRESS]',
  id: '[ID]',
};

/** The text with each span replaced by its category's token and everything else as it was. Spans are sorted and do not overlap. */
export function maskText(text: string, spans: readonly Span[]): string {
  let masked = '';
  let after = 0;
  for (const { start, end, category } of spans) {
    masked += text.slice(after, start) + TOKENS[category];
    after = end;
  }
  return masked + text.slice(after);
}
