import { isSameAddress, moversThatMove } from './model-emails.ts';
import { applied, attributeOf, droppedGrants, newPerson, ownRejections } from './model-records.ts';
import { settleSupervisors } from './model-supervisors.ts';
import { addRemarks, remarksOn } from './model-warnings.ts';
import type { Circumstances, ImportOutcome, Organisation, Person, RecordOutcome, SentRecord } from './organisation.ts';
import { ADDRESS_OF, BLANK_IMPORT_IDS, storedValue } from './vocabulary.ts';

const FIRST_ID = 1_000_000_000;
const NO_COUNTS = { created: 0, updated: 0, unchanged: 0, reactivated: 0, skipped: 0, offboarded: 0 };

/** A record with its employee, as known when all records are considered together. */
export interface Line {
  readonly index: number;
  readonly record: SentRecord;
  readonly before: Person | undefined;
  // 'code pointer'; empty when the record is applied.
  readonly reasons: readonly string[];
}

interface Imported {
  readonly organisation: Organisation;
  readonly outcome: ImportOutcome;
}

/**
 * Applies an import to an account, rule by rule from docs/rules: slow and plain, and by other means
 * than the service.
 */
export function importSnapshot(organisation: Organisation, snapshot: readonly SentRecord[], around: Circumstances): Imported {
  const managed = organisation.people.filter(({ createdVia, isDeleted }) => createdVia === 'import_api' && !isDeleted);
  const offboarded = managed.filter(({ importId }) => !snapshot.some(({ import_id }) => import_id === importId));
  const own = linesOf(organisation, snapshot, around);
  const { remarks, doubtful } = remarksOn(own, offboarded);
  const cancelled = cancelReasons(snapshot, managed.length, offboarded.length, doubtful, around).toSorted();
  if (cancelled.length > 0) {
    const outcome = {
      state: 'cancelled',
      cancelled,
      counts: NO_COUNTS,
      managed: managed.length,
      remarks: hasBadIds(cancelled) ? [] : remarks,
      records: [],
    };
    return { organisation, outcome };
  }
  const lines = rejectTakenEmails(organisation, offboarded, own);
  const attributes = withNewAttributes(organisation.attributes, lines, around);
  const { people, warnings } = applyLines(organisation.people, offboarded, lines, attributes, around);
  const lost = addRemarks({ before: organisation, after: { people, attributes }, lines, around }, warnings);
  const records = recordOutcomes(organisation.people, people, lines, warnings);
  const counts = { ...countOutcomes(records), offboarded: offboarded.length };
  const noteworthy = records.filter(({ outcome, warnings: said }) => outcome !== 'unchanged' || said.length > 0);
  const outcome = {
    state: 'applied',
    cancelled: [],
    counts,
    managed: managed.length,
    remarks: [...remarks, ...lost].sort(),
    records: noteworthy,
  };
  return { organisation: { people, attributes }, outcome };
}

/** Whether ids are blank or repeated; what else is told of such a snapshot does not matter. */
export const hasBadIds = (cancelled: readonly string[]): boolean => cancelled.some((code) => code.startsWith('import_id_'));

function cancelReasons(
  snapshot: readonly SentRecord[],
  managed: number,
  offboarded: number,
  doubtful: number,
  around: Circumstances,
): string[] {
  const reasons: string[] = [];
  const ids = snapshot.map(({ import_id }) => import_id).filter((id) => !BLANK_IMPORT_IDS.includes(id));
  if (ids.length < snapshot.length) reasons.push('import_id_blank');
  if (new Set(ids).size < ids.length) reasons.push('import_id_repeated');
  if (around.deletesAllowed) return reasons;
  if (isAbove(around.threshold, offboarded, managed)) reasons.push('deletion_threshold');
  const { identityThreshold } = around;
  if (identityThreshold !== undefined && managed > 0 && isAbove(identityThreshold, doubtful, managed) && !hasBadIds(reasons))
    reasons.push('identity_threshold');
  return reasons;
}

function isAbove(threshold: string, part: number, of: number): boolean {
  const [whole = '0', fraction = ''] = threshold.split('.');
  return BigInt(part) * 1_000_000n > BigInt(whole + fraction.padEnd(4, '0')) * BigInt(of);
}

function linesOf({ people }: Organisation, snapshot: readonly SentRecord[], { year }: Circumstances): Line[] {
  return snapshot.map((record, index) => ({
    index,
    record,
    // Never an employee created in another way (rule IMPORT-IDENTITY-4).
    before: people.find(({ createdVia, importId }) => createdVia === 'import_api' && importId === record.import_id),
    reasons: ownRejections(record, index, year),
  }));
}

function rejectTakenEmails({ people }: Organisation, offboarded: readonly Person[], lines: readonly Line[]): Line[] {
  const stayers = people.filter((person) => !person.isDeleted && !offboarded.includes(person));
  const isMoving = ({ before, record }: Line): boolean =>
    before === undefined || before.isDeleted || !isSameAddress(before.email, record.email);
  const movers = lines.filter((line) => line.reasons.length === 0 && isMoving(line));
  const wishes = movers.map(({ index, before, record }) => ({ index, personId: before?.id, email: record.email }));
  const moving = moversThatMove(stayers, wishes);
  return lines.map((line) =>
    movers.includes(line) && !moving.has(line.index)
      ? { ...line, reasons: [`email_taken /employees/${line.index}/email`] }
      : line,
  );
}

// Only values of applied records are created; the first spelling is displayed (rule
// IMPORT-LIFECYCLE-SKIP-2).
function withNewAttributes(
  known: Organisation['attributes'],
  lines: readonly Line[],
  { year }: Circumstances,
): Organisation['attributes'] {
  const attributes = { ...known };
  for (const { record, reasons } of lines) {
    for (const { name, value } of reasons.length === 0 ? (record.attributes ?? []) : []) {
      if (value === null) continue;
      const key = attributeOf(name);
      const before = attributes[key] ?? { name: name.trim().normalize('NFC'), values: [] };
      const stored = storedValue(key, value.name, year) ?? '';
      attributes[key] = { ...before, values: [...new Set([...before.values, stored])].sort() };
    }
  }
  return attributes;
}

function applyLines(
  people: readonly Person[],
  offboarded: readonly Person[],
  lines: readonly Line[],
  attributes: Organisation['attributes'],
  around: Circumstances,
): { people: Person[]; warnings: Map<number, string[]> } {
  const options = new Set(Object.entries(attributes).flatMap(([key, { values }]) => values.map((value) => `${key}=${value}`)));
  const next = people.map((person) => (offboarded.includes(person) ? { ...person, isDeleted: true } : person));
  const warnings = new Map<number, string[]>();
  let nextId = FIRST_ID + people.filter(({ id }) => id >= FIRST_ID).length;
  for (const { index, record, before, reasons } of lines) {
    if (reasons.length > 0) continue;
    const after = applied(before ?? newPerson(nextId++, record.import_id, around), record, around, options);
    if (before) next[people.indexOf(before)] = after;
    else next.push(after);
    const said = droppedGrants(after, record, index, options);
    if (ADDRESS_OF[record.email]?.isUnusual) said.push(`email_unusual /employees/${index}/email`);
    if (!before && offboarded.some(({ email }) => isSameAddress(email, record.email)))
      said.push(`email_known_under_other_import_id /employees/${index}/import_id`);
    warnings.set(index, said);
  }
  return { people: settleSupervisors(people, next, lines, warnings), warnings };
}

function recordOutcomes(
  before: readonly Person[],
  after: readonly Person[],
  lines: readonly Line[],
  warnings: ReadonlyMap<number, readonly string[]>,
): RecordOutcome[] {
  return lines.map((line) => ({
    index: line.index,
    import_id: line.record.import_id,
    outcome: outcomeOf(line, before, after),
    reasons: [...line.reasons].sort(),
    warnings: [...(warnings.get(line.index) ?? [])].sort(),
  }));
}

function outcomeOf({ reasons, before, record }: Line, old: readonly Person[], people: readonly Person[]): string {
  if (reasons.length > 0) return 'skipped';
  if (before === undefined) return 'created';
  if (before.isDeleted) return 'reactivated';
  const after = people[old.indexOf(before)];
  return samePerson(before, after) ? 'unchanged' : after === undefined ? `lost ${record.import_id}` : 'updated';
}

// Attributes have no order.
function samePerson(a: Person, b: Person | undefined): boolean {
  const names = Object.keys({ ...a.attributes, ...b?.attributes });
  const canonical = (person: Person | undefined): string =>
    JSON.stringify({ ...person, attributes: names.map((name) => person?.attributes[name] ?? null) });
  return canonical(a) === canonical(b);
}

function countOutcomes(records: readonly RecordOutcome[]): Record<string, number> {
  const counts: Record<string, number> = { ...NO_COUNTS };
  for (const { outcome } of records) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
