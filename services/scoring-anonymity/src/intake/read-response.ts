import type { NamedEmployee } from '@survey/bus/awaited-employee.ts';
import type { IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { normaliseInstant } from '@survey/rfc3339/instant.ts';
import { microsecondsOf } from '@survey/rfc3339/microseconds.ts';
import type { Answer, EmployeeReference, Response } from '@survey/rpc/gen/survey/intake/v1/intake.ts';

export interface ChosenOptions {
  readonly questionId: number;
  // Sorted, without duplicates.
  readonly optionIds: readonly number[];
}

/** The part of a response that scores need: everything except its texts. */
export interface ResponseFact {
  readonly id: string;
  readonly incoming: IncomingFact;
  readonly surveyId: number;
  readonly submittedUs: number;
  readonly from: NamedEmployee;
  // Answers to questions that were not skipped (rule SCORES-RESPONDENTS-2).
  readonly answers: readonly ChosenOptions[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Parses the response of a fact. Returns a rejected fact with its reason when it can never be
 * applied.
 */
export function readResponse(incoming: IncomingFact): ResponseFact | RejectedFact {
  const { response } = incoming.fact;
  if (response == null) return reject(incoming, 'is no response');
  const { id, survey_id: surveyId } = response;
  if (!UUID.test(id)) return reject(incoming, 'id is not a UUID');
  if (!UUID.test(response.cycle_id)) return reject(incoming, 'cycle_id is not a UUID');
  const from = respondentOf(response.employee);
  if (from === undefined) return reject(incoming, 'employee names nobody');
  const submittedUs = submissionOf(response);
  if (submittedUs === undefined) return reject(incoming, 'submitted_at is not a date-time of the years 1684 to 2255 in RFC 3339');
  const answers = response.answers.filter(({ option_ids }) => option_ids.length > 0).map(chosenOptions);
  if (new Set(answers.map(({ questionId }) => questionId)).size < answers.length)
    return reject(incoming, 'a question is answered twice');
  return { id: id.toLowerCase(), incoming, surveyId, submittedUs, from, answers };
}

function reject(incoming: IncomingFact, reason: string): RejectedFact {
  return { incoming, reason };
}

function respondentOf(employee: EmployeeReference | null | undefined): NamedEmployee | undefined {
  if (employee?.id != null) return { employeeId: employee.id };
  return employee?.import_id == null || employee.import_id === '' ? undefined : { importId: employee.import_id };
}

function submissionOf({ submitted_at }: Response): number | undefined {
  const instant = normaliseInstant(submitted_at);
  const submittedUs = instant === undefined ? Infinity : microsecondsOf(instant);
  return Math.abs(submittedUs) < Number.MAX_SAFE_INTEGER ? submittedUs : undefined;
}

function chosenOptions({ question_id: questionId, option_ids }: Answer): ChosenOptions {
  return { questionId, optionIds: [...new Set(option_ids)].sort((a, b) => a - b) };
}
