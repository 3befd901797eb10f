/** A text in the languages that the generated surveys are asked in. */
export type Translated = Record<string, string>;

export function question(en: string, de: string, fr: string, es: string, nl: string): Translated {
  return { en, de, fr, es, nl };
}
