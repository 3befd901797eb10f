import type { NamedEmployee } from '@survey/bus/awaited-employee.ts';
import type { IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import type { EmployeeReference } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import { isUuid } from './is-uuid.ts';

/** Stored part of a response: its texts, and the values that decide who may see them. */
export interface ResponseFact {
  readonly id: string;
  readonly incoming: IncomingFact;
  readonly surveyId: number;
  readonly cycleId: string;
  readonly from: NamedEmployee;
  readonly imported: boolean;
  // By question, each once, none of them blank (rule TEXTS-FIELDS-2).
  readonly texts: ReadonlyMap<number, string>;
}

/** Response as read from a fact, or the reason why the fact is rejected. */
export function readResponse(incoming: IncomingFact): ResponseFact | RejectedFact {
  const reject = (reason: string): RejectedFact => ({ incoming, reason });
  const { response } = incoming.fact;
  if (response == null) return reject('is no response');
  const { id, survey_id: surveyId, cycle_id: cycleId, imported } = response;
  if (!isUuid(id)) return reject('id is not a UUID');
  if (!isUuid(cycleId)) return reject('cycle_id is not a UUID');
  const from = writerOf(response.employee);
  if (from === undefined) return reject('employee names nobody');
  const texts = response.answers.flatMap(({ question_id, text }) => (isBlank(text) ? [] : [[question_id, text] as const]));
  if (new Set(texts.map(([questionId]) => questionId)).size < texts.length) return reject('a question is answered twice');
  if (texts.some(([, text]) => text.includes('\0'))) return reject('a text contains U+0000, which cannot be stored');
  const ids = { id: id.toLowerCase(), cycleId: cycleId.toLowerCase(), surveyId };
  return { ...ids, incoming, from, imported, texts: new Map(texts) };
}

function writerOf(employee: EmployeeReference | null | undefined): ResponseFact['from'] | undefined {
  if (employee?.id != null) return { employeeId: employee.id };
  return employee?.import_id == null || employee.import_id === '' ? undefined : { importId: employee.import_id };
}

// Only white space and invisible characters.
function isBlank(text: string | null | undefined): text is null | undefined {
  return text == null || !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}
