import type { z } from 'zod';
import type { WrittenLine } from '@survey/bus/lines/line.ts';
import type { assignmentLine } from '@survey/bus/lines/assignment.ts';
import { between, daysAfter, timeIn, written } from './calendar.ts';
import type { OrganisationSize, Person } from './organisation.ts';
import { Random } from './random.ts';
import { respondents } from './respondents.ts';
import type { PlannedSurvey } from './planned-survey.ts';

const LEFT = 0.05;
const CAME_BACK = 0.04;
const STATED_TWICE = 0.2;

type Stated = Omit<z.input<typeof assignmentLine>, 'kind' | 'id'>;

/** Yields the survey assignments with their start, including ended and resumed ones. */
export function* assignments(surveys: readonly PlannedSurvey[], size: OrganisationSize): Iterable<WrittenLine> {
  let id = 1;
  for (const survey of surveys) {
    for (const person of respondents(survey, size)) {
      for (const revisions of assignmentsOf(survey, person, size)) {
        for (const stated of revisions) yield { kind: 'assignment', id, ...stated };
        id += 1;
      }
    }
  }
}

// All assignments of one employee to a survey, each with its facts.
function assignmentsOf(survey: PlannedSurvey, person: Person, { months, seed }: OrganisationSize): Stated[][] {
  const random = new Random(seed, 'assignment', survey.id, ...Object.values(person.reference));
  const joined = timeIn(person.joinedMonth, months, 1, 8);
  const from = person.joinedMonth === 0 || joined < survey.createdAt ? survey.createdAt : joined;
  const asked = between(from, daysAfter(from, 1), random.float());
  const line = { survey_id: survey.id, employee: person.reference, created_at: written(asked) };
  if (!random.chance(LEFT + CAME_BACK)) return [[line]];
  const left = between(asked, daysAfter(asked, 200), 0.1 + random.float() * 0.8);
  const ended = { ...line, deleted_at: written(left) };
  // The newest fact may come first.
  const old = random.chance(STATED_TWICE) ? [{ ...ended, revision: 1 }, line] : [ended];
  if (!random.chance(CAME_BACK / (LEFT + CAME_BACK))) return [old];
  return [old, [{ ...line, created_at: written(between(left, daysAfter(left, 60), random.float())) }]];
}
