import type { WrittenLine } from '@survey/bus/lines/line.ts';
import { assignments } from './assignments.ts';
import { colleagues } from './colleagues.ts';
import { edits } from './edits.ts';
import { initiatives } from './initiatives.ts';
import type { OrganisationSize } from './organisation.ts';
import { responses } from './responses.ts';
import { surveyLines } from './survey-lines.ts';
import { plannedSurveys } from './surveys.ts';
import { topics } from './topics.ts';

/**
 * Yields the dataset of an invented organisation: the same size and seed give the same lines. It
 * refers by import_id to the workforce of the import API (workforce.ts), and to no other employee
 * outside the dataset.
 */
export function* generateDataset(size: OrganisationSize): Iterable<WrittenLine> {
  const surveys = plannedSurveys(size);
  yield* topics();
  for (const survey of surveys) yield* surveyLines(survey, size);
  for (const { line } of colleagues(size)) yield line;
  yield* edits(size);
  yield* assignments(surveys, size);
  yield* initiatives(surveys, size);
  for (const survey of surveys) yield* responses(survey, size);
}
