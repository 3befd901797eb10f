// Below 0.5: a missed topic costs more than a wrong one, which an admin can remove.
const LIKELY = 0.35;

/** Returns the indexes of the topics whose probability is high enough. */
export function chooseTopics(chances: readonly number[]): readonly number[] {
  return chances.flatMap((chance, topic) => (chance >= LIKELY ? [topic] : []));
}
