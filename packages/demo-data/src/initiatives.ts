import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { between, daysAfter, isPast, timeIn, formatTime } from './calendar.ts';
import { countColleagues } from './colleagues.ts';
import { DEPARTMENTS, importId, SITES, type OrganisationSize } from './organisation.ts';
import { Random } from './random.ts';
import { questionsOf } from './survey-lines.ts';
import type { PlannedSurvey } from './surveys.ts';
import { THEMES } from './texts/phrases.ts';
import { topicName } from './topics.ts';

const STATES = ['draft', 'defined', 'in_progress', 'completed'] as const;
const NOTES = [
  '',
  'Agreed with the works council.',
  'First results are shown at the next town hall.',
  'Mit dem Team besprochen; Rückmeldung bis Monatsende.',
  'Budget is approved, supplier is not chosen yet.\nNext: two offers.',
];

/** Yields initiatives in every state, with and without a survey, an assignee or a date. */
export function* initiatives(surveys: readonly PlannedSurvey[], size: OrganisationSize): Iterable<WrittenLine> {
  const count = Math.max(8, Math.ceil(size.employees / 40));
  for (let number = 0; number < count; number += 1) {
    const random = new Random(size.seed, 'initiative', number);
    const line = initiativeOf(number, random, surveys, size);
    yield line;
    // The first revision, which arrives late and changes nothing.
    if (random.chance(0.1)) yield { ...line, revision: 0, status: 'draft', updated_at: null };
  }
}

function initiativeOf(number: number, random: Random, surveys: readonly PlannedSurvey[], size: OrganisationSize) {
  const { months } = size;
  const createdAt = between(timeIn(0, months, 5, 8), timeIn(months - 1, months, 20, 10), random.float());
  const status = STATES[number % STATES.length] ?? 'draft';
  const isUpdated = status !== 'draft' || random.chance(0.3);
  return {
    kind: 'initiative' as const,
    revision: 1,
    uuid: random.uuid(),
    title: `${topicName(random.pick(THEMES))}: ${random.pick(DEPARTMENTS)} ${random.pick(SITES).location}`,
    status,
    ...about(number, random, surveys),
    ...people(random, size),
    notes: random.pick(NOTES),
    ...(random.chance(0.7) ? { completion_date: formatTime(daysAfter(createdAt, random.int(20, 200))) } : {}),
    created_at: formatTime(createdAt),
    ...(isUpdated ? { updated_at: formatTime(between(createdAt, daysAfter(createdAt, 90), random.float())) } : {}),
    is_private: random.chance(0.15),
    reminder_settings: random.shuffled(['same_day', 'three_days_before'] as const).slice(0, random.int(0, 2)),
    notification_settings: random.shuffled(['on_create', 'on_update'] as const).slice(0, random.int(0, 2)),
  };
}

function about(number: number, random: Random, surveys: readonly PlannedSurvey[]) {
  const survey = random.pick(surveys.filter(({ createdAt }) => isPast(createdAt)));
  if (number % 6 === 5) return { question_ids: [] };
  const ids = questionsOf(survey).map(({ id }) => id);
  return { survey_id: survey.id, question_ids: random.shuffled(ids).slice(0, random.int(0, 3)) };
}

function people(random: Random, size: OrganisationSize) {
  const colleague = { id: random.int(1, countColleagues(size)) };
  const employee = { import_id: importId(random.int(0, size.employees - 1)) };
  return {
    creator: random.chance(0.5) ? colleague : { import_id: importId(0) },
    ...(random.chance(0.8) ? { assignee: random.chance(0.3) ? colleague : employee } : {}),
  };
}
