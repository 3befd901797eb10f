import { colleagues } from './colleagues.ts';
import { positionOf, type OrganisationSize, type Person } from './organisation.ts';
import type { PlannedSurvey } from './planned-survey.ts';

/** Yields the employees whom a survey asks. */
export function* respondents({ every, from, asksColleagues }: PlannedSurvey, size: OrganisationSize): Iterable<Person> {
  if (asksColleagues) yield* colleagues(size);
  for (let index = from; index < size.employees; index += every) yield positionOf(index, size);
}
