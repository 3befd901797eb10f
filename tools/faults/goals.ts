import { writeFile } from 'node:fs/promises';
import { renderTable } from '@survey/surveyctl/output.ts';
import { isWithin, renderTarget, short, type Target } from '../../test/support/figures.ts';

/** A figure of one run, with the target that docs/reliability.md promises. */
export interface Goal {
  // Description of the fault and of the counted figure.
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly target: Target;
  // Total or comparison value of the figure.
  readonly anchor: string;
}

const isMet = ({ figure, target }: Goal): boolean => isWithin(figure, target);

/** Returns the figure of events that must not occur. */
export const none = (what: string, figure: number, anchor = ''): Goal => ({
  what,
  figure,
  unit: '',
  target: { atMost: 0 },
  anchor,
});

const HEAD = ['WHAT WAS DONE', 'FIGURE', 'TARGET', 'ANCHOR', 'MET'];

/**
 * Prints the table of goals, and writes it as JSON to a file. Fails the run when a goal is missed.
 */
export async function tellGoals(goals: readonly Goal[], json?: string): Promise<void> {
  const rows = goals.map((goal) => [
    goal.what,
    `${short(goal.figure)} ${goal.unit}`.trim(),
    renderTarget(goal.target),
    goal.anchor,
    isMet(goal) ? 'yes' : 'NO',
  ]);
  console.log(`\n${renderTable(HEAD, rows)}\n`);
  if (json !== undefined) {
    const all = goals.map((goal) => ({ ...goal, met: isMet(goal) }));
    await writeFile(json, `${JSON.stringify(all, null, 2)}\n`);
  }
  if (!goals.every(isMet)) process.exitCode = 1;
}
