import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { daysAfter, isPast, formatTime } from './calendar.ts';
import { countColleagues } from './colleagues.ts';
import { importId, type OrganisationSize } from './organisation.ts';
import { Random } from './random.ts';
import type { WrittenQuestion } from './questions.ts';
import type { PlannedCycle, PlannedSurvey } from './surveys.ts';

const DAYS_OF: Readonly<Record<string, number>> = { weekly: 7, biweekly: 14, monthly: 30 };

/**
 * Yields a survey with its questions and cycles. Some have two facts: the later one has the higher
 * revision.
 */
export function* surveyLines(survey: PlannedSurvey, size: OrganisationSize): Iterable<WrittenLine> {
  const line = surveyLine(survey, size);
  if (survey.archivedAt === undefined) yield line;
  else {
    const { archived_at: _, ...active } = line;
    yield { ...active, is_archived: false };
    yield { ...line, revision: 1 };
  }
  for (const question of questionsOf(survey)) {
    if (question.is_deleted) yield { ...question, is_deleted: false };
    yield question.is_deleted ? { ...question, revision: 1 } : question;
  }
  for (const { id, openedAt, closesAt } of survey.cycles) {
    const closed = isPast(closesAt) ? { closed_at: formatTime(closesAt) } : {};
    yield { kind: 'cycle', id, survey_id: survey.id, opened_at: formatTime(openedAt), ...closed };
  }
}

/**
 * Returns the questions of a survey as lines: a question's id derives from the survey's, and an
 * option's id from the question's.
 */
export function questionsOf({ id: survey_id, questions }: PlannedSurvey): WrittenQuestion[] {
  return questions.map(({ name, type, options, isDeleted = false }, index) => {
    const id = survey_id * 100 + index + 1;
    const answer_options = options.map((option, place) => ({ id: id * 100 + place + 1, ...option }));
    return { kind: 'question', id, survey_id, name, type, is_deleted: isDeleted, answer_options };
  });
}

function surveyLine(survey: PlannedSurvey, size: OrganisationSize) {
  const { id, name, frequency, timezone, createdAt, startAt, archivedAt } = survey;
  const random = new Random(size.seed, 'survey', id);
  return {
    kind: 'survey' as const,
    id,
    name,
    frequency,
    created_at: formatTime(createdAt),
    ...(startAt === undefined ? {} : { start_at: formatTime(startAt) }),
    ...(archivedAt === undefined ? {} : { archived_at: formatTime(archivedAt), end_at: formatTime(archivedAt) }),
    ...period(survey),
    is_archived: archivedAt !== undefined,
    is_deactivated: survey.isDeactivated ?? false,
    permissions: {
      employees_with_access_to_results: [
        random.int(1, countColleagues(size)),
        { import_id: importId(0) },
        ...(size.employees > 1 ? [{ import_id: importId(random.int(1, Math.min(8, size.employees - 1))) }] : []),
      ],
    },
    survey_properties: id % 2 === 0 ? [] : [PROGRAMME],
    timezone,
    ...(id < 4 ? { score_threshold: 5, text_threshold: 5 } : {}),
  };
}

const PROGRAMME = {
  id: 1,
  name: 'Programme',
  survey_property_options: [
    { id: 1, name: 'Culture' },
    { id: 2, name: 'Transformation' },
  ],
};

// End of the current period and start of the next one; neither for a survey that is over.
function period({ cycles, frequency, archivedAt, isDeactivated, startAt }: PlannedSurvey): object {
  if (archivedAt !== undefined || isDeactivated === true) return {};
  if (startAt !== undefined && !isPast(startAt)) return { next_survey_starts_at: formatTime(startAt) };
  const last = cycles.at(-1);
  const days = DAYS_OF[frequency];
  return {
    ...(isOpen(last) ? { current_survey_ends_at: formatTime(last.closesAt) } : {}),
    ...(last !== undefined && days !== undefined ? { next_survey_starts_at: formatTime(daysAfter(last.openedAt, days)) } : {}),
  };
}

function isOpen(cycle: PlannedCycle | undefined): cycle is PlannedCycle {
  return cycle !== undefined && !isPast(cycle.closesAt);
}
