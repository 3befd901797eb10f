import {
  displayAttributeName,
  isDerivedAttribute,
  normaliseAttributeName,
  type DerivedAttribute,
  derivedAttributeLike,
} from '@survey/formats/attribute-name.ts';
import { emailKey, isUsualEmail, trimEmail } from '@survey/formats/email-key.ts';
import type { EmployeeRecord } from '@survey/formats/employee-record.ts';
import type { RecordReasonCode } from '@survey/formats/import-reasons.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import ISO6391 from 'iso-639-1';

// Closed list; legacy spellings are rejected too (rule IMPORT-GRANTS-ROLE-1).
const ROLES = new Set(['Admin', 'Manager', 'Analyst', 'Report viewer', 'Respondee']);
export const DEFAULT_ROLE = 'Respondee';

/**
 * The changes that a record requests. Absent: unchanged; null: cleared or reset to the default
 * (docs/rules/import-values.md).
 */
export interface Intent {
  readonly index: number;
  readonly importId: string;
  readonly email: string;
  readonly emailKey: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly language: string | null | undefined;
  readonly reportsTo: string | null | undefined;
  readonly role: string | null | undefined;
  readonly permissions: Permissions | null | undefined;
  readonly attributes: readonly AttributeIntent[];
  // Reasons to skip the employee; empty when the record is applied.
  readonly reasons: readonly RecordIssue[];
  readonly warnings: readonly RecordIssue[];
  // Names that look like a derived attribute; each is noted once for an import.
  readonly derivedLike: readonly (RecordIssue & { readonly attribute: string })[];
}

interface Permissions {
  readonly allData: boolean;
  readonly grants: readonly Grant[];
}

/**
 * Access to the data of all employees with this value. Values are matched exactly, attributes
 * loosely (rules IMPORT-GRANTS-SCOPE-4 and IMPORT-GRANTS-SCOPE-2).
 */
export interface Grant {
  readonly attributeKey: string;
  readonly value: string;
}

interface AttributeIntent {
  readonly key: string;
  readonly name: string;
  readonly value: string | null;
}

/**
 * Interprets one valid record by the per-employee rules of "POST /v1/employees/imports". Years are
 * replaced by buckets of the UTC year of acceptance and never leave this function (rules
 * IMPORT-ATTRIBUTES-YEARS-4 and DATA-LOGS-1).
 */
export function interpretRecord(record: EmployeeRecord, index: number, acceptedYear: number): Intent {
  const at = (path: string): string => `/employees/${index}${path}`;
  const language = record.language == null ? record.language : languageCode(record.language);
  const { attributes, reasons: attributeReasons, derivedLike } = interpretAttributes(record, at, acceptedYear);
  const email = trimEmail(record.email);
  const reasons: RecordIssue[] = [...attributeReasons];
  if (isBlank(email)) reasons.push(issue(at('/email'), 'email_blank'));
  if (record.role != null && !ROLES.has(record.role)) {
    reasons.push(issue(at('/role'), 'role_unknown'));
  }
  if (record.language != null && language === undefined) {
    reasons.push(issue(at('/language'), 'language_unknown'));
  }
  const usual = isBlank(email) || isUsualEmail(email);
  return {
    index,
    importId: record.import_id,
    email,
    emailKey: emailKey(email),
    firstname: record.firstname,
    lastname: record.lastname,
    language,
    reportsTo: record.reports_to_id,
    role: record.role,
    permissions: interpretPermissions(record.permissions),
    attributes,
    reasons,
    derivedLike,
    warnings: usual ? [] : [issue(at('/email'), 'email_unusual')],
  };
}

/** Returns why the record of an erased employee is skipped (rule DATA-ERASURE-4). */
export function erasedIssue(index: number, field: string): RecordIssue {
  return issue(`/employees/${index}/${field}`, 'erased');
}

/** Returns why a record is skipped with which an employee would have too many values. */
export function tooManyValues(index: number): RecordIssue {
  return issue(`/employees/${index}/attributes`, 'attributes_too_many');
}

function interpretPermissions(permissions: EmployeeRecord['permissions']): Permissions | null | undefined {
  if (permissions == null) return permissions;
  // With all_data, grants are ignored: not resolved, dropped or warned about (rule
  // IMPORT-GRANTS-PERMISSIONS-2).
  const allData = permissions.all_data ?? false;
  const grants = allData ? [] : (permissions.grants ?? []);
  return {
    allData,
    grants: grants.map((grant) => ({
      attributeKey: normaliseAttributeName(grant.attribute.name),
      value: grant.value.name.normalize('NFC'),
    })),
  };
}

function interpretAttributes(
  record: EmployeeRecord,
  at: (path: string) => string,
  acceptedYear: number,
): Pick<Intent, 'derivedLike'> & { attributes: AttributeIntent[]; reasons: RecordIssue[] } {
  const listed = new Set<string>();
  const attributes: AttributeIntent[] = [];
  const reasons: RecordIssue[] = [];
  const derivedLike: Intent['derivedLike'][number][] = [];
  for (const [position, { name, value }] of (record.attributes ?? []).entries()) {
    const key = normaliseAttributeName(name);
    const reject = (property: string, code: RecordReasonCode) =>
      reasons.push(issue(at(`/attributes/${position}/${property}`), code));
    if (listed.has(key)) reject('name', 'attribute_repeated');
    listed.add(key);
    const stored =
      value !== null && isDerivedAttribute(key)
        ? bucketFor(key, value.name, acceptedYear)
        : (value?.name.normalize('NFC') ?? null);
    if (stored === undefined) reject('value/name', 'year_malformed');
    else attributes.push({ key, name: displayAttributeName(name), value: stored });
    const code = value === null || isDerivedAttribute(key) ? undefined : derivedAttributeLike(name);
    if (code !== undefined) derivedLike.push({ ...issue(at(`/attributes/${position}/name`), code), attribute: key });
  }
  return { attributes, reasons, derivedLike };
}

function issue(pointer: string, code: RecordReasonCode): RecordIssue {
  return { pointer, code };
}

/**
 * Reason why a record was skipped or silently altered as the contract requires. Contains no value
 * of the record; packages/formats/src/import-reasons.ts has its sentence.
 */
export interface RecordIssue {
  // JSON pointer into the request body, such as /employees/3/role.
  pointer: string;
  code: RecordReasonCode;
}

// The 183 codes in force, without the withdrawn ones (iw, in, ji, mo, sh, bh).
const CODES: ReadonlySet<string> = new Set(ISO6391.getAllCodes());

/**
 * Returns the ISO 639-1 code in lower case; undefined for other values, whose employees are skipped
 * (docs/rules/import-lifecycle.md; rule IMPORT-VALUES-5). Region suffixes and three-letter codes
 * are rejected.
 */
export function languageCode(value: string): string | undefined {
  // ASCII only: U+212A (the Kelvin sign) would otherwise become a k.
  if (/[^A-Za-z]/.test(value)) return undefined;
  const code = value.toLowerCase();
  return CODES.has(code) ? code : undefined;
}

const LABELS: Record<DerivedAttribute, (years: number) => string> = {
  'age category': ageLabel,
  seniority: seniorityLabel,
};

/**
 * Returns the bucket to store (rules IMPORT-ATTRIBUTES-YEARS-1, IMPORT-ATTRIBUTES-YEARS-2 and
 * IMPORT-ATTRIBUTES-YEARS-3).
 * @param year birth year or joining year, as sent
 * @param acceptedYear UTC year in which the import was accepted, so that a redelivery after New
 * Year returns the same bucket (rule IMPORT-ATTRIBUTES-YEARS-4)
 * @returns undefined when the value is not exactly four ASCII digits; the employee is then skipped.
 * A year in the future falls into the lowest bucket.
 */
export function bucketFor(attribute: DerivedAttribute, year: string, acceptedYear: number): string | undefined {
  if (!/^[0-9]{4}$/.test(year)) return undefined;
  return LABELS[attribute](acceptedYear - Number(year));
}

function ageLabel(years: number): string {
  if (years < 20) return '< 20';
  if (years >= 60) return '60+';
  const from = Math.floor(years / 10) * 10;
  return `${from}-${from + 9}`;
}

function seniorityLabel(years: number): string {
  if (years < 5) return '< 5';
  if (years >= 45) return '45+';
  const from = Math.floor(years / 5) * 5;
  return `${twoDigits(from)}-${twoDigits(from + 4)}`;
}

function twoDigits(years: number): string {
  return String(years).padStart(2, '0');
}
