import type { Person } from './organisation.ts';
import { Random } from './random.ts';
import type { Theme } from './texts/phrases.ts';

/**
 * Returns an employee's mood in a month: around 0, mostly within 2. It depends on the employee, the
 * team (more than by chance) and the month, so that answers correlate by all three, as in reality.
 */
export function moodOf({ reference, department, site }: Person, month: number, seed: number): number {
  const temperament = new Random(seed, 'mood', ...Object.values(reference)).normal() * 0.7;
  const team = new Random(seed, 'team', department, site.location).normal() * 0.45;
  const season = new Random(seed, 'season', department, month).normal() * 0.2;
  return temperament + team + season;
}

/** Returns how much better or worse than the rest a department judges one theme. */
export function leaning(department: string, theme: Theme, seed: number): number {
  return new Random(seed, 'leaning', department, theme).normal() * 0.5;
}
