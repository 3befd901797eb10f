import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts };
export type Language = 'en' | 'de';

export const LANGUAGES: Readonly<Record<Language, Texts>> = { en, de };

/** Returns the chosen language, else the first supported one of Accept-Language, else English. */
export function pickLanguage(chosen: string | undefined, acceptLanguage: string | undefined): Language {
  if (isLanguage(chosen)) return chosen;
  const wanted = (acceptLanguage ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase());
  return wanted.find(isLanguage) ?? 'en';
}

export function isLanguage(code: string | undefined): code is Language {
  return code !== undefined && Object.hasOwn(LANGUAGES, code);
}
