/** Escapes a text as part of a LIKE pattern; null for an empty text. */
export function searchPattern(search: string): string | null {
  const text = search.trim().slice(0, 200);
  return text === '' ? null : text.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('\u0000', '');
}
