/** A text in the languages of the generated surveys. */
export type Translated = Record<string, string>;

export function question(en: string, de: string, fr: string, es: string, nl: string): Translated {
  return { en, de, fr, es, nl };
}
