/**
 * Sorts the texts into those that no list tells apart, and returns the authors of each group. The
 * attacker keeps every list of every call.
 */
export function groupsToldApart(lists: readonly (readonly string[])[], authorOf: (text: string) => number): Set<number>[] {
  const seen = new Map<string, number[]>();
  for (const [call, texts] of lists.entries()) for (const text of texts) seen.set(text, [...(seen.get(text) ?? []), call]);
  const groups = Map.groupBy(seen.keys(), (text) => (seen.get(text) ?? []).join());
  return [...groups.values()].map((texts) => new Set(texts.map(authorOf)));
}
