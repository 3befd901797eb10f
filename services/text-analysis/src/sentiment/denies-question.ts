import type { ReadAnswer } from './read-answer.ts';

const DENIALS: ReadonlySet<string> = new Set(
  `nothing none no nope nil na n a nobody at all really honestly nichts nix keine keiner nein gar uberhaupt eigentlich rien aucun aucune non du tout nada ninguno
  ninguna en absoluto niets geen niks nee helemaal nao nenhum nenhuma ingenting intet ingen nej inget inga`.split(/\s+/u),
);

/**
 * Checks whether an answer begins with a bare `Nothing`, so that the question's leaning does not
 * apply.
 */
export function deniesQuestion({ words, clauses }: ReadAnswer): boolean {
  const first = clauses[0];
  return first !== undefined && words.slice(first.start, first.end).every(({ folded }) => DENIALS.has(folded));
}
