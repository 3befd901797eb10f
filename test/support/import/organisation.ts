/** The expected state of an employee, with names instead of ids. */
export interface Person {
  readonly id: number;
  readonly createdVia: string;
  readonly importId: string | null;
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly language: string | null;
  readonly role: string | null;
  readonly isDeleted: boolean;
  // The supervisor's id.
  readonly supervisor: number | null;
  // By matched name: 'dept', never ' DEPT'. Sorted values.
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  readonly allData: boolean;
  // 'dept=Sales', sorted.
  readonly grants: readonly string[];
}

/** The employees and attributes of an account. */
export interface Organisation {
  readonly people: readonly Person[];
  // By matched name: the displayed name and all values ever created, sorted.
  readonly attributes: Readonly<Record<string, KnownAttribute>>;
}

interface KnownAttribute {
  readonly name: string;
  readonly values: readonly string[];
  // Created by facts, whose order does not count: its name may still change.
  readonly isNamedByFacts?: true;
}

export const NOBODY: Organisation = { people: [], attributes: {} };

/** Settings and date at the acceptance of an import. */
export interface Circumstances {
  readonly year: number;
  readonly defaultLanguage: string;
  // Percent, as decimal text.
  readonly threshold: string;
  readonly deletesAllowed: boolean;
  // Percent of the managed employees.
  readonly identityThreshold?: string;
  // Default: keep.
  readonly onReturn?: 'keep' | 'reset';
}

export interface SentGrant {
  readonly attribute: { readonly name: string };
  readonly value: { readonly name: string };
}

export interface SentAttribute {
  readonly name: string;
  readonly value: { readonly name: string } | null;
}

/** An employee input record (docs/rules/import-request.md). */
export interface SentRecord {
  readonly import_id: string;
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly language?: string | null;
  readonly role?: string | null;
  readonly reports_to_id?: string | null;
  readonly permissions?: { readonly all_data?: boolean; readonly grants?: readonly SentGrant[] } | null;
  readonly attributes?: readonly SentAttribute[];
}

export interface RecordOutcome {
  readonly index: number;
  readonly import_id: string;
  readonly outcome: string;
  // 'code pointer', sorted.
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

export interface ImportOutcome {
  readonly state: string;
  // blank, repeated, threshold: sorted.
  readonly cancelled: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly managed: number;
  // 'code count' of what concerns the snapshot as a whole, sorted.
  readonly remarks: readonly string[];
  // Without unchanged records.
  readonly records: readonly RecordOutcome[];
}
