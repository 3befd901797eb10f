/**
 * For .meta() of a string of an extensible enum (docs/rules/lists.md): it stays open, since other values may come; the
 * known ones are told to readers and generators.
 */
export function extensible(known: readonly string[]): { description: string; 'x-extensible-enum': readonly string[] } {
  return { description: `Known values: ${known.join(', ')}. More may come.`, 'x-extensible-enum': known };
}
