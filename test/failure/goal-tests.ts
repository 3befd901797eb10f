import { tests, type Project } from '../check-tasks.ts';
import { none, type Goal } from './goals.ts';

/** Tests that show a goal. */
export interface GoalTests {
  readonly goal: string;
  readonly what: string;
  readonly project: Project;
  // For vitest: files, and -t with what the names of its tests say.
  readonly args: readonly string[];
}

/** Runs them one after the other, and answers with a row for each: tests that failed, or one where none ran. */
export async function runGoalTests(rows: readonly GoalTests[]): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const { goal, what, project, args } of rows) {
    const { passed, failed, output } = await tests(what, project, { args }).run();
    if (output !== '') console.log(output);
    goals.push(none(goal, `${what}: tests that fail`, passed === 0 ? Math.max(1, failed) : failed, `${passed} pass`));
  }
  return goals;
}
