import type { z } from 'zod';
import { LINE_SCHEMAS, type Line, type LineKind } from './line.ts';
import { wording } from './wording.ts';

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
  const told = issues
    .slice(0, TOLD_ISSUES)
    .map(({ path, message }) => `${path.length > 0 ? `${pointerOf(path)} ` : ''}${message}`);
  const rest = issues.length - told.length;
  return told.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
