// Why a line of a dataset or its fact can never be applied. Dead letters store codes, for programs
// to compare; people read them in words. Release 0.1 stored English sentences.

const FACT_REASONS = {
  undecodable: 'cannot be decoded: not a fact, or it contains a number beyond 2^53',
  other_kind: 'is a fact of another kind than its subject',
  // Faults, separated by semicolons.
  invalid: '%',
  employee_erased: 'the employee is erased',
  email_taken: 'the e-mail address belongs to another active employee',
  too_many_values: 'the employee would have more than 10,000 attribute values, or has as many newer edits',
  counts_fixed: 'counts of option % is not changed, because a closed cycle has answers to it; the rest is applied',
  database_rejects: 'the database rejects it (%)',
  database_too_slow: 'the database takes too long to write it (57014)',
};

// What is wrong with a line, or with the property whose name precedes it: `survey_id is missing`.
const FAULTS = {
  not_json: 'is not JSON',
  not_json_object: 'is not a JSON object',
  missing: 'is missing',
  not_a: 'must be %',
  not_one_of: 'must be one of %',
  unknown_property: 'has a property that is not known: %',
  key_not_language: 'has a key that is not an ISO 639-1 code',
  not_at_least: 'must be at least %',
  not_above: 'must be above %',
  not_at_most: 'must be at most %',
  not_below: 'must be below %',
  too_long: 'must have at most % characters',
  blank: 'must not be blank',
  not_storable: 'must hold neither U+0000 nor half a surrogate pair',
  not_date_time: 'must be an RFC 3339 date-time such as 2026-01-31T09:00:00Z',
  year_out_of_range: 'must be in the years 1684 to 2255',
  not_language: 'must be an ISO 639-1 code such as de',
  not_timezone: 'must be an IANA time zone such as Europe/Berlin',
  not_reference: 'must be {"id": number} or {"import_id": text}',
  is_employee: 'must not be the employee',
  question_repeated: 'must name each question only once',
  set_and_cleared: 'is both set and cleared',
  more: 'and % more',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  guid: 'a UUID',
};

type FactReasonCode = keyof typeof FACT_REASONS;

/** A code, some with a parameter, such as `database_rejects:23514`; never a value of the fact. */
export type FactReason = FactReasonCode | `${FactReasonCode}:${string}`;

type FaultCode = keyof typeof FAULTS;

/** Why a property, or the whole line, is invalid. */
export type Fault = FaultCode | `${FaultCode}:${string}`;

export const FACT_REASON_CODES = Object.keys(FACT_REASONS) as FactReasonCode[];

export const codeOf = (reason: FactReason): FactReasonCode => reason.split(':', 1)[0] as FactReasonCode;

/** Renders a stored reason. One of release 0.1 or of a later release is returned as it is. */
export function factReasonText(reason: string): string {
  return reason
    .replace(/^invalid:/, '')
    .split('; ')
    .map(textOf)
    .join('; ');
}

function textOf(part: string): string {
  const [, property = '', code = '', parameter = ''] = /^(\S+ )?([a-z_]+)(?::(.*))?$/s.exec(part) ?? [];
  const words = new Map(Object.entries({ ...FACT_REASONS, ...FAULTS })).get(code);
  return words === undefined ? part : property + words.replace('%', () => TYPES[parameter] ?? parameter);
}
