import { writeFile } from 'node:fs/promises';
import { renderTable } from '@survey/surveyctl/output.ts';
import { isWithin, renderTarget, short, type Target } from '../../test/support/figures.ts';

/** The figure of a goal of docs/reliability.md in one run. */
export interface Goal {
  // Identifier, such as R7.
  readonly goal: string;
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
export const none = (goal: string, what: string, figure: number, anchor = ''): Goal => ({
  goal,
  what,
  figure,
  unit: '',
  target: { atMost: 0 },
  anchor,
});

const HEAD = ['GOAL', 'WHAT WAS DONE', 'FIGURE', 'TARGET', 'ANCHOR', 'MET'];

/**
 * Prints the table of goals, and writes it as JSON to a file. Fails the run when a goal is missed.
 */
export async function tellGoals(goals: readonly Goal[], json?: string): Promise<void> {
  const rows = goals.map((goal) => [
    goal.goal,
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
  const missed = goals.filter((goal) => !isMet(goal));
  console.log(`${goals.length - missed.length} of ${goals.length} goals met`);
  if (missed.length > 0) process.exitCode = 1;
}
