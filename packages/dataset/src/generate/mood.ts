import type { Person } from './organisation.ts';
import { Random } from './random.ts';
import type { Theme } from './texts/phrases.ts';

/**
 * How content somebody is in a month: around 0, mostly within 2. People differ, teams differ more
 * than chance would have it, and things change from month to month; so the answers of one person,
 * of one team and of one month belong together, as they do in life.
 */
export function moodOf({ reference, department, site }: Person, month: number, seed: number): number {
  const own = new Random(seed, 'mood', ...Object.values(reference)).normal() * 0.7;
  const team = new Random(seed, 'team', department, site.location).normal() * 0.45;
  const season = new Random(seed, 'season', department, month).normal() * 0.2;
  return own + team + season;
}

/** By how much a department judges one theme better or worse than the rest. */
export function leaning(department: string, theme: Theme, seed: number): number {
  return new Random(seed, 'leaning', department, theme).normal() * 0.5;
}
