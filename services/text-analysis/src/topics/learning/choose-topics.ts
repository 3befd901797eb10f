// Somewhat below one half: a topic that was missed costs more than one too many, which an administrator removes.
const LIKELY = 0.35;

/** Which topics an answer gets, by their chances: positions in the list. */
export function chooseTopics(chances: readonly number[]): readonly number[] {
  return chances.flatMap((chance, topic) => (chance >= LIKELY ? [topic] : []));
}
