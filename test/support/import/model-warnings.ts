import { isSameAddress } from './model-emails.ts';
import type { Line } from './import-model.ts';
import { attributeOf } from './model-records.ts';
import type { Circumstances, Organisation, Person } from './organisation.ts';
import { DERIVED_LIKE, lookOfValue, storedValue } from './vocabulary.ts';

/** Organisations before and after the applied lines. */
interface Change {
  readonly before: Organisation;
  readonly after: Organisation;
  readonly lines: readonly Line[];
  readonly around: Circumstances;
}

type Say = (index: number, code: string, at?: string) => void;

/**
 * Adds, by index, 'code pointer' of what an import does that somebody may not have meant. Returns
 * what concerns the account.
 */
export function addRemarks(change: Change, warnings: ReadonlyMap<number, string[]>): string[] {
  const { after, lines } = change;
  const applied = lines.filter(({ reasons }) => reasons.length === 0);
  const say: Say = (index, code, at = '') => void warnings.get(index)?.push(`${code} /employees/${index}${at}`);
  for (const line of applied) {
    const person = after.people.find(
      ({ createdVia, importId }) => createdVia === 'import_api' && importId === line.record.import_id,
    );
    if (line.before?.isDeleted === true && person !== undefined && hasAccess(person)) say(line.index, 'access_regained');
    if (isSomebodyElse(line)) {
      const isSwapped = applied.some(
        (other) => isSomebodyElse(other) && isSameAddress(other.before?.email ?? '', line.record.email),
      );
      say(line.index, isSwapped ? 'identity_swapped' : 'identity_changed');
    }
    for (const _ of person === undefined ? [] : unmatchedGrants(person, after)) say(line.index, 'grant_matches_nobody');
  }
  sayNames(applied, say);
  sayValues(change, applied, say);
  if (!change.before.people.some(isAdmin) || after.people.some(isAdmin)) return [];
  for (const { before, index } of applied) if (before !== undefined && isAdmin(before)) say(index, 'last_admin_lost', '/role');
  return ['last_admin_lost'];
}

const isAdmin = ({ role, isDeleted }: Person): boolean => role === 'Admin' && !isDeleted;

/** Returns what a snapshot tells about identities as a whole, and how many records are doubtful. */
export function remarksOn(lines: readonly Line[], omitted: readonly Person[]): { remarks: string[]; doubtful: number } {
  const valid = lines.filter(({ reasons }) => reasons.length === 0);
  const others = valid.filter(isSomebodyElse);
  const swapped = others.filter(({ record }) => others.some(({ before }) => isSameAddress(before?.email ?? '', record.email)));
  const added = valid.filter(({ before, record }) => before === undefined && record.import_id.trim() !== '');
  const known = added.filter(({ record }) => omitted.some(({ email }) => isSameAddress(email, record.email)));
  const cased = added.filter(({ record }) =>
    omitted.some(({ importId }) => importId?.toLowerCase() === record.import_id.toLowerCase()),
  );
  const counts = {
    identity_changed: others.length - swapped.length,
    identity_swapped: swapped.length,
    email_known_under_other_import_id: known.length,
    id_case_changed: cased.length,
  };
  const remarks = Object.entries(counts).flatMap(([code, count]) => (count === 0 ? [] : [`${code} ${count}`]));
  return { remarks: remarks.sort(), doubtful: others.length + known.length };
}

function hasAccess({ role, allData, grants }: Person): boolean {
  return (role !== null && role !== 'Respondee' && role !== 'Employee') || allData || grants.length > 0;
}

function isSomebodyElse({ before, record }: Line): boolean {
  if (before === undefined || isSameAddress(before.email, record.email)) return false;
  return before.firstname !== record.firstname || before.lastname !== record.lastname;
}

function unmatchedGrants({ role, allData, grants }: Person, { people }: Organisation): string[] {
  if (role === null || role === 'Respondee' || allData) return [];
  const values = people.flatMap(({ isDeleted, attributes }) => (isDeleted ? [] : Object.entries(attributes)));
  const held = new Set(values.flatMap(([attribute, all]) => all.map((value) => `${attribute}=${value}`)));
  return grants.filter((grant) => !held.has(grant));
}

function sayNames(applied: readonly Line[], say: Say): void {
  const told = new Set<string>();
  for (const { index, record } of applied) {
    for (const [position, { name, value }] of (record.attributes ?? []).entries()) {
      const attribute = attributeOf(name);
      const code = DERIVED_LIKE[attribute];
      if (code === undefined || value === null || told.has(attribute)) continue;
      told.add(attribute);
      say(index, code, `/attributes/${position}/name`);
    }
  }
}

function sayValues({ before, around }: Change, applied: readonly Line[], say: Say): void {
  const known = new Map(Object.entries(before.attributes).map(([key, { values }]) => [key, [...values]]));
  for (const { index, record } of applied) {
    for (const { name, value } of record.attributes ?? []) {
      const attribute = attributeOf(name);
      const stored = value === null ? undefined : storedValue(attribute, value.name, around.year);
      const values = known.get(attribute) ?? [];
      if (stored === undefined || values.includes(stored)) continue;
      if (values.some((other) => lookOfValue(other) === lookOfValue(stored))) say(index, 'value_looks_alike');
      known.set(attribute, [...values, stored]);
    }
  }
}
