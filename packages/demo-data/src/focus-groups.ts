import { daysAfter, timeIn } from './calendar.ts';
import { cycle } from './cycles.ts';
import type { OrganisationSize } from './organisation.ts';
import type { PlannedSurvey } from './planned-survey.ts';
import { FOCUS } from './questions.ts';
import { Random } from './random.ts';

const FIRST_ID = 10;
const PEOPLE_PER_GROUP = 500;
const MAX_GROUPS = 400;

/**
 * Returns short surveys of a few employees each, in some month; their number grows with the
 * workforce.
 */
export function focusGroups(size: OrganisationSize): PlannedSurvey[] {
  const { employees, months, seed } = size;
  const count = Math.min(MAX_GROUPS, Math.floor(employees / PEOPLE_PER_GROUP));
  return Array.from({ length: count }, (_, group) => {
    const id = FIRST_ID + group;
    const month = new Random(seed, 'focus', group).int(0, months - 1);
    const openedAt = timeIn(month, months, 4, 9);
    return {
      id,
      name: { en: `Focus group ${group + 1}`, de: `Fokusgruppe ${group + 1}` },
      frequency: 'once',
      timezone: 'UTC',
      createdAt: daysAfter(openedAt, -2),
      startAt: openedAt,
      questions: FOCUS,
      cycles: [cycle(size, id, month, openedAt, 10)],
      every: count * 10,
      from: group,
      asksColleagues: false,
      participation: 0.8,
    };
  });
}
