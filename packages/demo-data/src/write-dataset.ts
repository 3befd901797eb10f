import type { assignmentLine, WrittenLine } from '@survey/bus/lines/line.ts';
import type { z } from 'zod';
import { between, daysAfter, timeIn, formatTime } from './calendar.ts';
import { colleagues, countColleagues } from './colleagues.ts';
import { initiatives } from './initiatives.ts';
import { inventName, workforce } from './workforce.ts';
import { importId, type OrganisationSize, type Person, SITES } from './organisation.ts';
import { type PlannedSurvey, plannedSurveys } from './surveys.ts';
import { Random } from './random.ts';
import { respondents, responses } from './responses.ts';
import { surveyLines } from './survey-lines.ts';
import { topics } from './topics.ts';

const CHUNK_CHARACTERS = 64 * 1024;

/** Yields a generated dataset as NDJSON, in chunks of a useful size. */
export function datasetChunks(size: OrganisationSize): Iterable<string> {
  return inChunks(generateDataset(size), (line) => `${JSON.stringify(line)}\n`);
}

/**
 * Yields the dataset's workforce as a body for `POST /v1/employees/imports`, one employee per line.
 */
export function* snapshotChunks(size: OrganisationSize): Iterable<string> {
  yield '{"employees":[';
  yield* inChunks(workforce(size), (employee, index) => `${index === 0 ? '' : ','}\n${JSON.stringify(employee)}`);
  yield '\n]}\n';
}

function* inChunks<T>(items: Iterable<T>, render: (item: T, index: number) => string): Iterable<string> {
  let chunk = '';
  let index = 0;
  for (const item of items) {
    chunk += render(item, index);
    index += 1;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/**
 * Yields the dataset of an invented organisation: the same size and seed give the same lines. It
 * refers by import_id to the workforce of the import API (workforce.ts), and to no other employee
 * outside the dataset.
 */
function* generateDataset(size: OrganisationSize): Iterable<WrittenLine> {
  const surveys = plannedSurveys(size);
  yield* topics();
  for (const survey of surveys) yield* surveyLines(survey, size);
  for (const { line } of colleagues(size)) yield line;
  yield* edits(size);
  yield* assignments(surveys, size);
  yield* initiatives(surveys, size);
  for (const survey of surveys) yield* responses(survey, size);
}

const LEFT = 0.05;
const CAME_BACK = 0.04;
const STATED_TWICE = 0.2;

type AssignmentState = Omit<z.input<typeof assignmentLine>, 'kind' | 'id'>;

/** Yields the survey assignments with their start, including ended and resumed ones. */
function* assignments(surveys: readonly PlannedSurvey[], size: OrganisationSize): Iterable<WrittenLine> {
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
function assignmentsOf(survey: PlannedSurvey, person: Person, { months, seed }: OrganisationSize): AssignmentState[][] {
  const random = new Random(seed, 'assignment', survey.id, ...Object.values(person.reference));
  const joinedAt = timeIn(person.joinedMonth, months, 1, 8);
  const from = person.joinedMonth === 0 || joinedAt < survey.createdAt ? survey.createdAt : joinedAt;
  const assignedAt = between(from, daysAfter(from, 1), random.float());
  const line = { survey_id: survey.id, employee: person.reference, created_at: formatTime(assignedAt) };
  if (!random.chance(LEFT + CAME_BACK)) return [[line]];
  const leftAt = between(assignedAt, daysAfter(assignedAt, 200), 0.1 + random.float() * 0.8);
  const endedLine = { ...line, deleted_at: formatTime(leftAt) };
  // The newest fact may come first.
  const firstFacts = random.chance(STATED_TWICE) ? [{ ...endedLine, revision: 1 }, line] : [endedLine];
  if (!random.chance(CAME_BACK / (LEFT + CAME_BACK))) return [firstFacts];
  return [firstFacts, [{ ...line, created_at: formatTime(between(leftAt, daysAfter(leftAt, 60), random.float())) }]];
}

const EDITED = 0.004;

type Change = (random: Random) => object;

// Changes that administrators make in the application.
const CHANGES: readonly Change[] = [
  (random) => ({ lastname: inventName('de', random).lastname }),
  (random) => editOfSite(random),
  () => ({ role: 'Employee' }),
  () => ({ language: 'en', supervisor: null }),
  () => ({ attributes: [{ name: 'Job Family', value: null }] }),
  (random) => ({ firstname: inventName('en', random).firstname, ...editOfSite(random) }),
];

/**
 * Yields edits of some of the workforce and of the application's employees; some are edited twice.
 */
function* edits(size: OrganisationSize): Iterable<WrittenLine> {
  const count = Math.max(6, Math.ceil(size.employees * EDITED));
  for (let number = 0; number < count; number += 1) {
    const random = new Random(size.seed, 'edit', number);
    const employee =
      number % 5 === 4
        ? { id: random.int(1, countColleagues(size)) }
        : { import_id: importId(random.int(0, size.employees - 1)) };
    const change = CHANGES[number % CHANGES.length] ?? editOfSite;
    yield { kind: 'employee', employee, ...change(random), revision: number + 1 };
  }
}

function editOfSite(random: Random): object {
  const { location, country } = random.pick(SITES);
  return {
    attributes: [
      { name: 'Location', value: location },
      { name: 'Country', value: country },
    ],
  };
}
