/**
 * The spellings of a new attribute in record order. The first applied record decides, even when
 * earlier records are skipped later (rule IMPORT-LIFECYCLE-SKIP-2).
 */
export class Spellings {
  // Runs of consecutive records with the same spelling.
  readonly #runs: { readonly spelling: string; readonly first: number; uses: number }[];

  // A list with its first element takes much less memory than one that grows from none.
  constructor(spelling: string, index: number) {
    this.#runs = [{ spelling, first: index, uses: 1 }];
  }

  /** Adds a record's spelling. Records must arrive in ascending order. */
  add(spelling: string, index: number): void {
    const last = this.#runs.at(-1);
    if (last?.spelling === spelling) last.uses += 1;
    else this.#runs.push({ spelling, first: index, uses: 1 });
  }

  /** Removes the spelling of a record that is skipped after all. */
  remove(index: number): void {
    let from = 0;
    let to = this.#runs.length;
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((this.#runs[middle]?.first ?? 0) <= index) from = middle;
      else to = middle;
    }
    const run = this.#runs[from];
    if (run !== undefined) run.uses -= 1;
  }

  /** Returns the spelling of the first remaining record. */
  first(): string | undefined {
    return this.#runs.find(({ uses }) => uses > 0)?.spelling;
  }
}
