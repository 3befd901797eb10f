import type { z } from 'zod';
import { assignmentLine, type AssignmentLine } from './assignment.ts';
import { cycleLine, type CycleLine, surveyLine, type SurveyLine } from './survey.ts';
import { employeeEditLine, type EmployeeEditLine, employeeLine, type EmployeeLine } from './employee.ts';
import { initiativeLine, type InitiativeLine } from './initiative.ts';
import { questionLine, type QuestionLine } from './question.ts';
import { responseLine, type ResponseLine } from './response.ts';
import { topicAssignmentLine, type TopicAssignmentLine, topicLine, type TopicLine } from './topic.ts';

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
