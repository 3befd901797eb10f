/**
 * Returns the metadata of a string with an extensible enum (docs/rules/lists.md): known values are
 * listed, others may follow.
 */
export function extensible(known: readonly string[]): { description: string; 'x-extensible-enum': readonly string[] } {
  return { description: `Known values: ${known.join(', ')}. More may come.`, 'x-extensible-enum': known };
}
