import { daysAfter, isPast, timeIn, written } from './calendar.ts';
import type { OrganisationSize } from './organisation.ts';
import type { PlannedCycle } from './planned-survey.ts';
import { Random } from './random.ts';

/** One cycle for each of the first months; that of the last month is still open. */
export function monthly(size: OrganisationSize, survey: number, months: number): PlannedCycle[] {
  return Array.from({ length: months }, (_, month) => cycle(size, survey, month, timeIn(month, size.months, 2, 7), 25));
}

/** One cycle per week until today. */
export function weekly(size: OrganisationSize, survey: number): PlannedCycle[] {
  const first = timeIn(0, size.months, 7, 6);
  const all = Array.from({ length: size.months * 5 }, (_, week) => ({ week, openedAt: daysAfter(first, week * 7) }));
  return all
    .filter(({ openedAt }) => isPast(openedAt))
    .map(({ week, openedAt }) => cycle(size, survey, Math.min(size.months - 1, Math.floor((week * 7) / 30.5)), openedAt, 6));
}

/** A cycle that is open for some days. */
export function cycle({ seed }: OrganisationSize, survey: number, month: number, openedAt: Date, days: number): PlannedCycle {
  const id = new Random(seed, 'cycle', survey, written(openedAt)).uuid();
  return { id, month, openedAt, closesAt: daysAfter(openedAt, days) };
}
