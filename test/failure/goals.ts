import { writeFile } from 'node:fs/promises';
import { renderTable } from '@survey/surveyctl/output.ts';
import { isWithin, renderTarget, short, type Target } from '../support/figures.ts';

/** What a goal of docs/reliability.md came to in one run. */
export interface Goal {
  // Such as R7.
  readonly goal: string;
  // What was done, and what the figure counts.
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly target: Target;
  // What the target is taken from, or what the figure stands beside.
  readonly anchor: string;
}

const isMet = ({ figure, target }: Goal): boolean => isWithin(figure, target);

/** Of what must not happen at all. */
export const none = (goal: string, what: string, figure: number, anchor = ''): Goal => ({
  goal,
  what,
  figure,
  unit: '',
  target: { atMost: 0 },
  anchor,
});

const HEAD = ['GOAL', 'WHAT WAS DONE', 'FIGURE', 'TARGET', 'ANCHOR', 'MET'];

/** The table that each run ends with; with a file, the same as JSON there. A goal that is missed makes the run fail. */
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
