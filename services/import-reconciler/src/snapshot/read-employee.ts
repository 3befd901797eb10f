import { isDerivedAttribute, normaliseAttributeName } from '@survey/formats/attribute-name.ts';
import { employeeRecord, type EmployeeRecord } from '@survey/formats/employee-record.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import type { z } from 'zod';
import { UnreadableSnapshotError, type FieldError, type FieldErrorList } from './field-errors.ts';
import { parseJson } from './parse-json.ts';
import type { SnapshotSplitter } from './split.ts';
import { visit } from 'jsonc-parser';

// zod keeps an issue for every fault, so it sees at most this many items of a list at a time.
const ITEMS_AT_ONCE = 1_000;
// A digit and its comma.
const SHORTEST_ITEM_BYTES = 2;
// Maximum faults counted in one record, because other accounts wait while it is checked.
const FINDINGS_MAX = 10_000;

// JSON.parse takes 2.5 s and 390 MB for a million different keys, and other accounts wait. Records
// have few names of properties, however many attributes they list.
const DIFFERENT_KEYS_MAX = 10_000;

const { attributes, permissions } = employeeRecord.shape;
const LISTS = [
  { at: ['attributes'], schema: attributes },
  { at: ['permissions', 'grants'], schema: permissions.unwrap().unwrap().shape.grants },
];

/**
 * Parses and validates the splitter's current element.
 * @returns the record, or undefined after adding a field error for each fault
 * @throws UnreadableSnapshotError when the element is not UTF-8 or not JSON, or has too many
 * different keys
 */
export function readEmployee({ element, index, offset }: SnapshotSplitter, findings: FieldErrorList): EmployeeRecord | undefined {
  const path: (string | number)[] = ['employees', index];
  const findingsBefore = findings.total;
  const listedBefore = findings.list.length;
  if (element.keys > DIFFERENT_KEYS_MAX && hasTooManyKeys(element))
    throw new UnreadableSnapshotError({
      pointer: `/employees/${index}`,
      detail: `more than ${DIFFERENT_KEYS_MAX} different names of properties`,
    });
  const { text, value } = parseJson(element.bytes, element.start, element.end, `/employees/${index}`, offset);
  const keysParsed = inspectStrings(value, { path, element: value, hasEscapes: text.includes('\\u'), findings });
  if (keysParsed !== element.keys) findDuplicateKeys(text, (at) => findings.add([...path, ...at], 'must appear only once'));
  const hasLists = element.end - element.start > SHORTEST_ITEM_BYTES * ITEMS_AT_ONCE;
  for (const issue of hasLists ? issuesByParts(value) : issuesIn(employeeRecord, value)) {
    if (findings.total - findingsBefore >= FINDINGS_MAX) break;
    addIssue(issue, value, path, findings);
  }
  if (findings.total === findingsBefore) return value as EmployeeRecord;
  const importId = validImportId(value);
  if (importId !== undefined) for (const finding of findings.list.slice(listedBefore)) finding.import_id = importId;
  return undefined;
}

// People find a record in their system by its id, not by its place in the list.
function validImportId(record: unknown): string | undefined {
  const id = valueAt(record, ['import_id']);
  const isValid =
    typeof id === 'string' && id.isWellFormed() && !id.includes('\0') && !isBlank(id) && id.length <= CODE_POINTS_MAX;
  return isValid ? id : undefined;
}

/**
 * Parses an element that was validated before under the same rules.
 * @throws UnreadableSnapshotError when the element is not UTF-8 or not JSON
 */
export function parseEmployee({ element, index, offset }: SnapshotSplitter): EmployeeRecord {
  return parseJson(element.bytes, element.start, element.end, `/employees/${index}`, offset).value as EmployeeRecord;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const isWhiteSpace = (byte = 0): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

function hasTooManyKeys({ bytes, start, end }: SnapshotSplitter['element']): boolean {
  const keys = new Set<string>();
  for (let open = bytes.indexOf(QUOTE, start), at = 0; open >= 0 && open < end; open = bytes.indexOf(QUOTE, at)) {
    let close = open + 1;
    while (close < end && bytes[close] !== QUOTE) close += bytes[close] === BACKSLASH ? 2 : 1;
    at = close + 1;
    while (isWhiteSpace(bytes[at])) at += 1;
    if (bytes[at] === COLON) keys.add(bytes.toString('latin1', open + 1, close));
    if (keys.size > DIFFERENT_KEYS_MAX) return true;
  }
  return false;
}

function* issuesByParts(record: unknown): Generator<z.core.$ZodIssue> {
  const long = LISTS.flatMap(({ at, schema }) => {
    const items = valueAt(record, at);
    return Array.isArray(items) && items.length > ITEMS_AT_ONCE ? [{ at, schema, items }] : [];
  });
  yield* issuesIn(
    employeeRecord,
    long.reduce((short, { at }) => withEmptyValue(short, at), record),
  );
  for (const { at, schema, items } of long)
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE)
      for (const issue of issuesIn(schema, items.slice(from, from + ITEMS_AT_ONCE)))
        yield { ...issue, path: [...at, from + Number(issue.path[0]), ...issue.path.slice(1)] };
}

const issuesIn = (schema: z.ZodType, value: unknown): readonly z.core.$ZodIssue[] => schema.safeParse(value).error?.issues ?? [];

function withEmptyValue(record: unknown, [key = '', ...rest]: readonly string[]): unknown {
  return { ...Object(record), [key]: rest.length === 0 ? [] : withEmptyValue(valueAt(record, [key]), rest) };
}

function addIssue(issue: z.core.$ZodIssue, element: unknown, path: readonly (string | number)[], findings: FieldErrorList): void {
  const at = [...path, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) findings.add([...at, key], 'unknown property');
    return;
  }
  findings.add(at, describe(issue.message, valueAt(element, issue.path)));
}

// Values are personal data, so only their type is named.
function describe(expected: string, value: unknown): FieldError['detail'] {
  return value === undefined ? 'is required' : `must be ${expected}, not ${typeOf(value)}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Longest accepted values, in code points: above any real value and below the 8,191 bytes of a
 * PostgreSQL index row. 255 for names is rule IMPORT-REQUEST-TEXTS-1; 320 is the longest address
 * that RFC 5321 allows (64 + 1 + 255).
 */
const CODE_POINTS_MAX = 255;
const EMAIL_CODE_POINTS_MAX = 320;
// Compared but never stored; unknown values have a defined effect (rules IMPORT-LIFECYCLE-SKIP-1
// and IMPORT-SUPERVISORS-2).
const UNLIMITED = new Set<string | number | undefined>(['language', 'reports_to_id', 'role']);

interface Inspection {
  /** Path of the value in the body; used as a stack and restored on return. */
  path: (string | number)[];
  /** The whole element, at the first two segments of the path. */
  element: unknown;
  /**
   * Whether the JSON text has \u escapes; only they can produce U+0000 or lone surrogates in valid
   * UTF-8.
   */
  hasEscapes: boolean;
  findings: FieldErrorList;
}

/**
 * Checks every string in a parsed element, at any depth: no U+0000 or lone surrogates, which
 * PostgreSQL cannot store (rule IMPORT-REQUEST-JSON-1); the length limits of stored values; and no
 * blank names of attributes and values, which would match nothing (rule IMPORT-REQUEST-TEXTS-1).
 * @returns the number of keys in the value, at every depth
 */
function inspectStrings(value: unknown, inspection: Inspection): number {
  if (typeof value === 'string') inspectString(value, inspection);
  if (!isContainer(value)) return 0;
  const { path } = inspection;
  const depth = path.length;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      path[depth] = at;
      keys += inspectStrings(value[at], inspection);
    }
  } else {
    // Hot path: Object.entries takes several times as long.
    for (const key in value) {
      path[depth] = key;
      keys += 1 + inspectStrings(value[key], inspection);
    }
  }
  path.length = depth;
  return keys;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function inspectString(text: string, inspection: Inspection): void {
  const { path, hasEscapes, findings } = inspection;
  const key = path[path.length - 1];
  const max = key === 'email' ? EMAIL_CODE_POINTS_MAX : CODE_POINTS_MAX;
  const hasZero = hasEscapes && text.includes('\0');
  if (hasZero) findings.add(path, 'must not contain U+0000');
  if (hasEscapes && !text.isWellFormed()) findings.add(path, 'must not contain a lone surrogate');
  const isBlankName = key === 'name' && !hasZero && isBlank(text);
  const isTooLong = text.length > max && !UNLIMITED.has(key) && (text.length > 2 * max || Array.from(text).length > max);
  if ((!isBlankName && !isTooLong) || isYear(inspection)) return;
  if (isBlankName) findings.add(path, 'must not be blank');
  if (isTooLong) findings.add(path, `must not be longer than ${max} characters`);
}

// Years of Age Category or Seniority are never stored; an invalid one skips the employee (rule
// IMPORT-ATTRIBUTES-YEARS-3).
function isYear({ path, element }: Inspection): boolean {
  const [, , list, nth = 0, property] = path;
  if (list !== 'attributes' || property !== 'value') return false;
  const name = valueAt(element, [list, nth, 'name']);
  return typeof name === 'string' && name.length <= 2 * CODE_POINTS_MAX && isDerivedAttribute(normaliseAttributeName(name));
}

function valueAt(element: unknown, path: readonly PropertyKey[]): unknown {
  let value = element;
  for (const key of path) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

/**
 * Reports the path of each key that an object repeats (rule IMPORT-REQUEST-JSON-2), which
 * JSON.parse ignores. A record may have a million, so none is kept. Slow compared with JSON.parse:
 * use only for texts known to contain a repeated key.
 * @param text valid JSON
 */
export function findDuplicateKeys(text: string, report: (path: (string | number)[]) => void): void {
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (key, _offset, _length, _line, _column, path) => {
      if (open.at(-1)?.has(key)) report([...path(), key]);
      open.at(-1)?.add(key);
    },
  });
}
