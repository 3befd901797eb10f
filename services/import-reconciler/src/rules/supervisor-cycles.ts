/**
 * Returns the positions on a cycle, each once (rule IMPORT-SUPERVISORS-4), in linear time and
 * memory.
 * @param above the supervisor's position for each position; 0 for none, as after its end
 */
export function positionsOnCycles(above: Int32Array): number[] {
  // For each position, the number of the walk that visited it first: the walk's starting position.
  const walkedBy = new Int32Array(above.length);
  const cycleMembers: number[] = [];
  for (let start = 1; start < above.length; start++) {
    let at = start;
    while (at !== 0 && walkedBy[at] === 0) {
      walkedBy[at] = start;
      at = above[at] ?? 0;
    }
    // The walk has returned to its own path: the cycle starts here.
    if (walkedBy[at] !== start) continue;
    const meeting = at;
    do {
      cycleMembers.push(at);
      at = above[at] ?? 0;
    } while (at !== meeting);
  }
  return cycleMembers;
}
