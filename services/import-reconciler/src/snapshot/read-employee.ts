import type { z } from 'zod';
import { employeeRecord, type EmployeeRecord } from '@survey/formats/employee-record.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { pointer, type FieldError, type FieldErrorList } from './field-errors.ts';
import { inspectStrings, valueAt } from './inspect-strings.ts';
import { parseJson } from './parse-json.ts';
import type { SnapshotSplitter } from './split.ts';

/**
 * Parses and validates the splitter's current element.
 * @returns the record, or undefined after adding a field error for each fault
 * @throws UnreadableSnapshotError when the element is not UTF-8 or not JSON
 */
export function readEmployee({ element, index, offset }: SnapshotSplitter, findings: FieldErrorList): EmployeeRecord | undefined {
  const path: (string | number)[] = ['employees', index];
  const findingsBefore = findings.total;
  const { text, value } = parseJson(element.bytes, element.start, element.end, `/employees/${index}`, offset);
  const keysParsed = inspectStrings(value, { path, element: value, hasEscapes: text.includes('\\u'), findings });
  if (keysParsed !== element.keys)
    for (const at of duplicateKeys(text))
      findings.add({ pointer: pointer([...path, ...at]), detail: 'property is given more than once' });
  const parsed = employeeRecord.safeParse(value);
  if (!parsed.success) for (const issue of parsed.error.issues) addIssue(issue, value, path, findings);
  return findings.total === findingsBefore ? parsed.data : undefined;
}

/**
 * Parses an element that was validated before under the same rules.
 * @throws UnreadableSnapshotError when the element is not UTF-8 or not JSON
 */
export function parseEmployee({ element, index, offset }: SnapshotSplitter): EmployeeRecord {
  return parseJson(element.bytes, element.start, element.end, `/employees/${index}`, offset).value as EmployeeRecord;
}

function addIssue(issue: z.core.$ZodIssue, element: unknown, path: readonly (string | number)[], findings: FieldErrorList): void {
  const at = [...path, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) findings.add({ pointer: pointer([...at, key]), detail: 'unknown property' });
    return;
  }
  findings.add({ pointer: pointer(at), detail: describe(issue.message, valueAt(element, issue.path)) });
}

// Values are personal data, so only their type is named.
function describe(expected: string, value: unknown): FieldError['detail'] {
  return value === undefined ? 'required property is missing' : `expected ${expected}, got ${typeOf(value)}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
