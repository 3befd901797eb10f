import { isDeepStrictEqual } from 'node:util';
import { microsecondsOf } from '@survey/formats/instant.ts';
import type {
  Employee,
  EmployeeEdit,
  EmployeeReference,
  Response,
  Survey,
  Topic,
  TopicAssignment,
} from '@survey/proto/intake/v1/intake.ts';
import { z } from 'zod';
import type { Fault } from './reasons.ts';
import {
  answerText,
  applicationEmployeeId,
  dateTime,
  employeeReference,
  id,
  label,
  language,
  MAX_NAME,
  OWN_SUPERVISOR,
  personName,
  revision,
  text,
  timezone,
  translated,
  uuid,
} from './values.ts';

const surveyProperty = z.strictObject({
  id,
  name: text,
  survey_property_options: z.array(z.strictObject({ id, name: text })),
});

const surveyLine = z.strictObject({
  kind: z.literal('survey'),
  revision,
  id,
  import_id: label.nullish(),
  name: translated,
  frequency: label.meta({ examples: ['weekly', 'biweekly', 'monthly', 'once'] }),
  created_at: dateTime,
  start_at: dateTime.nullish().describe('Absent: the survey started on `created_at`'),
  end_at: dateTime.nullish(),
  archived_at: dateTime.nullish(),
  current_survey_ends_at: dateTime.nullish(),
  next_survey_starts_at: dateTime.nullish(),
  is_archived: z.boolean(),
  is_deactivated: z.boolean(),
  permissions: z
    .strictObject({
      employees_with_access_to_results: z.array(z.union([id, employeeReference])),
    })
    .describe('Employees with access to the results, as ids or employee references'),
  survey_properties: z.array(surveyProperty),
  timezone: timezone.describe('IANA name'),
  score_threshold: z
    .int()
    .nonnegative()
    .nullish()
    .describe('Respondents needed to release a score; 5 if absent, and at least 3 (SCORES-THRESHOLD-3)'),
  text_threshold: z
    .int()
    .nonnegative()
    .nullish()
    .describe('Respondents needed to release the texts of a cycle; 5 if absent, and at least 3 (SCORES-THRESHOLD-3)'),
});

type SurveyLine = z.output<typeof surveyLine>;

export function surveyFact(line: SurveyLine): Survey {
  return { ...line, employees_with_access_to_results: line.permissions.employees_with_access_to_results.map(reference) };
}

function reference(employee: number | EmployeeReference): EmployeeReference {
  return typeof employee === 'number' ? { id: employee } : employee;
}

const cycleLine = z.strictObject({
  kind: z.literal('cycle'),
  revision,
  id: uuid,
  survey_id: id,
  opened_at: dateTime,
  closed_at: dateTime.nullish().describe('Absent: the cycle is open'),
});

type CycleLine = z.output<typeof cycleLine>;

export const questionLine = z.strictObject({
  kind: z.literal('question'),
  revision,
  id,
  survey_id: id,
  name: translated,
  type: label.meta({
    examples: ['stars', 'textfield', 'single_select', 'multiple_select', 'ranked_select', 'smiley_faces', 'nps'],
  }),
  is_deleted: z.boolean(),
  answer_options: z
    .array(
      z.strictObject({
        id,
        name: translated,
        value: z.number(),
        is_maximum: z.boolean(),
        is_minimum: z.boolean(),
        counts: z.boolean().nullish(),
      }),
    )
    .describe(
      '`is_maximum` is the best answer, `is_minimum` the worst; `counts: false` marks one that is no answer, such as "does not apply"; `[]` for `textfield`',
    ),
});

type QuestionLine = z.output<typeof questionLine>;

/**
 * An employee created in the application, from a file, over SFTP or by an HCM connector: never by
 * the import API.
 */
export const employeeLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    id: applicationEmployeeId.describe('Below 1,000,000,000'),
    email: label.describe('Unique in the account without case'),
    firstname: personName.nullish(),
    lastname: personName.nullish(),
    role: label.nullish().describe('Any role is accepted'),
    language: language.nullish(),
    is_deleted: z.boolean().nullish().describe('Absent: false'),
    created_via: z
      .enum(['app', 'file', 'sftp', 'hcm'])
      .describe('Employees of the import API come through `POST /v1/employees/imports` instead'),
    import_id: label.nullish().describe('Two employees may share one if at most one of them came through the import API'),
    attributes: z
      .array(z.strictObject({ name: label, value: label }))
      .nullish()
      .describe('Several entries of one attribute give it several values'),
    supervisor: employeeReference.nullish().describe('Not the employee'),
  })
  .refine(({ id, supervisor }) => supervisor == null || !('id' in supervisor) || supervisor.id !== id, OWN_SUPERVISOR);

export type EmployeeLine = z.output<typeof employeeLine>;

export function employeeFact(line: EmployeeLine): Employee {
  return { ...line, is_deleted: line.is_deleted ?? false, attributes: line.attributes ?? [] };
}

/** An edit of any employee: absent properties stay unchanged, null clears. */
const employeeEditLine = z
  .strictObject({
    kind: z.literal('employee'),
    revision,
    employee: employeeReference.describe('The employee to edit'),
    email: label.optional().describe('Absent: unchanged'),
    firstname: personName.nullish().describe('Absent: unchanged; null clears'),
    lastname: personName.nullish().describe('Absent: unchanged; null clears'),
    role: label.nullish().describe('Absent: unchanged; null clears'),
    language: language.nullish().describe('Absent: unchanged; null clears'),
    is_deleted: z.boolean().optional().describe('Absent: unchanged'),
    attributes: z
      .array(z.strictObject({ name: label, value: label.nullable() }))
      .optional()
      .describe('A listed attribute gets exactly the listed values, or none for null; others are unchanged'),
    supervisor: employeeReference.nullish().describe('Absent: unchanged; null clears'),
  })
  .refine(({ employee, supervisor }) => !isDeepStrictEqual(employee, supervisor), OWN_SUPERVISOR);

export type EmployeeEditLine = z.output<typeof employeeEditLine>;

const CLEARABLE = ['firstname', 'lastname', 'role', 'language', 'supervisor'] as const;

/** Protobuf has no null: cleared properties are named in `cleared`. */
export function employeeEditFact(line: EmployeeEditLine): EmployeeEdit {
  return { ...line, attributes: line.attributes ?? [], cleared: CLEARABLE.filter((field) => line[field] === null) };
}

export const assignmentLine = z.strictObject({
  kind: z.literal('assignment'),
  revision,
  id,
  survey_id: id,
  employee: employeeReference,
  created_at: dateTime,
  deleted_at: dateTime.nullish().describe('Absent: the assignment is active'),
});

export type AssignmentLine = z.output<typeof assignmentLine>;

const initiativeLine = z.strictObject({
  kind: z.literal('initiative'),
  revision,
  uuid,
  title: text,
  status: z.enum(['draft', 'defined', 'in_progress', 'completed']),
  survey_id: id.nullish(),
  question_ids: z.array(id),
  assignee: employeeReference.nullish(),
  creator: employeeReference.nullish(),
  notes: text.describe('Empty if there are none'),
  completion_date: dateTime.nullish(),
  created_at: dateTime,
  updated_at: dateTime.nullish(),
  is_private: z.boolean(),
  reminder_settings: z.array(z.enum(['same_day', 'three_days_before'])),
  notification_settings: z.array(z.enum(['on_create', 'on_update'])),
});

type InitiativeLine = z.output<typeof initiativeLine>;

// Scores keep the time as a number of microseconds.
const submittedAt = dateTime.refine(
  (instant) => Math.abs(microsecondsOf(instant)) < Number.MAX_SAFE_INTEGER,
  'year_out_of_range' satisfies Fault,
);

// Options of an answer.
const MAX_CHOSEN = 1_000;

const answers = z
  .array(z.strictObject({ question_id: id, option_ids: z.array(id).max(MAX_CHOSEN).nullish(), text: answerText.nullish() }))
  .refine((all) => new Set(all.map(({ question_id }) => question_id)).size === all.length, 'question_repeated' satisfies Fault);

export const responseLine = z.strictObject({
  kind: z.literal('response'),
  revision,
  id: uuid,
  survey_id: id,
  cycle_id: uuid,
  employee: employeeReference,
  submitted_at: submittedAt.describe('In the years 1684 to 2255'),
  imported: z.boolean().nullish().describe('Absent: false. Answers from another system (true) are never masked'),
  answers: answers.describe(
    'Each question at most once; skipped questions are left out. `text` is for `textfield`, `option_ids` for other types: by rank for `ranked_select`, several for `multiple_select`, otherwise one',
  ),
});

export type ResponseLine = z.output<typeof responseLine>;

export function responseFact(line: ResponseLine): Response {
  const answers = line.answers.map((answer) => ({ ...answer, option_ids: answer.option_ids ?? [] }));
  return { ...line, imported: line.imported ?? false, answers };
}

// Per language. The console allows 500.
const MAX_KEYWORDS = 1_000;
const MAX_DESCRIPTION = 10_000;

const topicLine = z.strictObject({
  kind: z.literal('topic'),
  revision,
  name: label.describe('Unique in the account without case; white space and punctuation count'),
  description: text.max(MAX_DESCRIPTION).nullish(),
  keywords: z
    .record(language, z.array(text.max(MAX_NAME)).max(MAX_KEYWORDS))
    .meta({ propertyNames: { pattern: '^[a-z]{2}$' } })
    .nullish()
    .describe('Words by language that answers about this topic contain'),
});

export type TopicLine = z.output<typeof topicLine>;

export function topicFact(line: TopicLine): Topic {
  const keywords = Object.entries(line.keywords ?? {}).map(([code, words]) => [code, { words }] as const);
  return { ...line, keywords: Object.fromEntries(keywords) };
}

const topicAssignmentLine = z.strictObject({
  kind: z.literal('topic_assignment'),
  revision,
  response_id: uuid,
  question_id: id,
  topic: label.describe('Name of the topic'),
  sentiment: z.enum(['positive', 'neutral', 'negative']).nullable().describe('Null: not scored'),
  removed: z.boolean().nullish().describe('True: the topic does not apply to the answer'),
});

type TopicAssignmentLine = z.output<typeof topicAssignmentLine>;

export function topicAssignmentFact(line: TopicAssignmentLine): TopicAssignment {
  return { ...line, removed: line.removed ?? false };
}

/** A parsed line of a dataset (docs/dataset.md). Its fact has the same kind. */
export type Line =
  | SurveyLine
  | QuestionLine
  | CycleLine
  | EmployeeLine
  | EmployeeEditLine
  | AssignmentLine
  | InitiativeLine
  | ResponseLine
  | TopicLine
  | TopicAssignmentLine;

export type LineKind = Line['kind'];

/** Schemas by kind of line. An employee is created or edited: two shapes of one kind. */
export const LINE_SCHEMAS = {
  survey: surveyLine,
  question: questionLine,
  cycle: cycleLine,
  employee: employeeLine,
  employee_edit: employeeEditLine,
  assignment: assignmentLine,
  initiative: initiativeLine,
  response: responseLine,
  topic: topicLine,
  topic_assignment: topicAssignmentLine,
} as const;

/** The input form of a line: properties with a default are optional. */
export type WrittenLine = z.input<(typeof LINE_SCHEMAS)[keyof typeof LINE_SCHEMAS]>;
