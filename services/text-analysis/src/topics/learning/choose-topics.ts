// A topic is taken when it is likely; the likeliest one when it is nearly so, since few answers speak of nothing.
const LIKELY = 0.33;
const NEARLY = 0.25;

/** Which topics an answer gets, by their chances: positions in the list. */
export function chooseTopics(chances: readonly number[]): readonly number[] {
  const best = chances.reduce((top, chance) => Math.max(top, chance), 0);
  return chances.flatMap((chance, topic) => (chance >= LIKELY || (chance === best && chance >= NEARLY) ? [topic] : []));
}
