import { tests } from '../../test/check-tasks.ts';
import type { Project } from '../../test/prerequisites.ts';
import { none, type Goal } from './goals.ts';

/** Tests that verify a goal. */
export interface GoalTests {
  readonly what: string;
  readonly project: Project;
  // Arguments for vitest: files, and -t with a pattern of test names.
  readonly args: readonly string[];
}

/** Runs the tests of each goal. Returns the number of failures of each; 1 when no test ran. */
export async function runGoalTests(rows: readonly GoalTests[]): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const { what, project, args } of rows) {
    const { passed, failed, output } = await tests(what, project, { args }).run();
    if (output !== '') console.log(output);
    goals.push(none(`${what}: tests that fail`, passed === 0 ? Math.max(1, failed) : failed, `${passed} pass`));
  }
  return goals;
}
