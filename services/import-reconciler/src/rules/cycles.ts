/**
 * The positions that lie on a cycle, each once (rule IMPORT-SUPERVISORS-4), in time and memory that grow with their number alone.
 *
 * @param above for each position the one it leads to; 0 leads nowhere
 */
export function positionsOnCycles(above: Int32Array): number[] {
  // The walk that came by first; walks are numbered by where they begin.
  const walkedBy = new Int32Array(above.length);
  const found: number[] = [];
  for (let start = 1; start < above.length; start++) {
    let at = start;
    while (at !== 0 && walkedBy[at] === 0) {
      walkedBy[at] = start;
      at = above[at] ?? 0;
    }
    // Back where this very walk has been: from here on round.
    if (at === 0 || walkedBy[at] !== start) continue;
    const meeting = at;
    do {
      found.push(at);
      at = above[at] ?? 0;
    } while (at !== meeting);
  }
  return found;
}
