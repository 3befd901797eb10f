import type { z } from 'zod';
import { type Line, LINE_SCHEMAS, type LineKind } from './line.ts';

type LineReading = { line: Line } | { kind: LineKind | undefined; reason: string };

const TOLD_ISSUES = 3;
const KINDS = Object.keys(LINE_SCHEMAS).filter((name) => name !== 'employee_edit');

/** Reads one line. Faults name a path, never a value: values are personal data. */
export function readLine(json: string): LineReading {
  const value = parse(json);
  if (value === undefined) return { kind: undefined, reason: 'is not JSON' };
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: undefined, reason: 'is not a JSON object' };
  const kind = 'kind' in value ? value.kind : undefined;
  if (!isKind(kind)) return { kind: undefined, reason: `kind must be one of ${KINDS.join(', ')}` };
  const schema = LINE_SCHEMAS[kind === 'employee' && 'employee' in value ? 'employee_edit' : kind];
  const result = parseLine(schema, value);
  return 'line' in result ? result : { kind, ...result };
}

/** Parses a value by the schema of its kind, or returns the reason why it is invalid. */
export function parseLine(schema: z.ZodType<Line>, value: unknown): { line: Line } | { reason: string } {
  const { data, error } = schema.safeParse(value, { error: wording });
  return error === undefined ? { line: data } : { reason: reasonOf(error) };
}

function isKind(kind: unknown): kind is LineKind {
  return typeof kind === 'string' && KINDS.includes(kind);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

// Keys of a map are data, such as the languages of a name: only those that are codes are repeated.
function pointerOf(path: readonly PropertyKey[]): string {
  const inMap = path.findIndex((part) => part === 'name' || part === 'keywords' || part === 'title');
  return path
    .map((part, i) => (inMap >= 0 && i === inMap + 1 && !/^[a-z]{2,3}$/.test(String(part)) ? '…' : String(part)))
    .join('/');
}

function reasonOf({ issues }: z.ZodError): string {
  const reasons = issues
    .slice(0, TOLD_ISSUES)
    .map(({ path, message }) => `${path.length > 0 ? `${pointerOf(path)} ` : ''}${message}`);
  const rest = issues.length - reasons.length;
  return reasons.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

const NAME: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  guid: 'a UUID',
};

/**
 * Describes a fault in words that follow a property name, as in `survey_id is missing`. Never
 * repeats a value.
 */
const wording: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${NAME[issue.expected] ?? issue.expected}`;
    case 'invalid_format':
      return `must be ${NAME[issue.format] ?? issue.format}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return `has a property that is not known: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has a key that is not an ISO 639-1 code';
    case 'too_small':
      return `must be ${issue.inclusive === true ? 'at least' : 'above'} ${issue.minimum}`;
    case 'too_big':
      return `must ${issue.origin === 'string' ? 'have' : 'be'} ${issue.inclusive === true ? 'at most' : 'below'} ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
    // Uses the schema's words, else zod's.
    case 'custom':
    case 'invalid_union':
    case 'invalid_element':
    case 'not_multiple_of':
      break;
  }
  return undefined;
};
