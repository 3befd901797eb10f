/** Shuffles items; the order depends only on their number and the seed. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  let state = (seed + 1) * 0x9e3779b9;
  const keyed = items.map((item) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { item, key: Math.imul(state ^ (state >>> 16), 0x45d9f3b) >>> 0 };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
