/** The text as a part of a LIKE pattern, in which it means itself; null for none. */
export function searchPattern(search: string): string | null {
  const text = search.trim().slice(0, 200);
  return text === '' ? null : text.replaceAll(/[\\%_]/g, String.raw`\$&`).replaceAll('\u0000', '');
}
