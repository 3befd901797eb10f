import type { Masker } from './masker.ts';

/** Wraps a masker: names that the roster allows remain visible (rule TEXTS-MASKING-5). */
export function exceptAllowedNames(masker: Masker): Masker {
  return {
    version: masker.version,
    generation: masker.generation,
    find: async (answer) => {
      const spans = await masker.find(answer);
      return spans.filter(
        ({ category, start, end }) => category !== 'name' || !answer.roster.isVisible(answer.text.slice(start, end)),
      );
    },
  };
}
