import { readFileSync } from 'node:fs';

const PACKAGE = new URL('../../', import.meta.url);

/**
 * Reads the lines of a list in this package, without comments; `file` is relative to the package.
 */
export function readList(file: string): string[] {
  const lines = readFileSync(new URL(file, PACKAGE), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

/** Reads a list whose lines begin with a language and a kind. */
export function readKinds(file: string): { readonly language: string; readonly kind: string; readonly words: string }[] {
  return readList(file).map((line) => {
    const [language = '', kind = '', ...words] = line.split(' ');
    return { language, kind, words: words.join(' ') };
  });
}
