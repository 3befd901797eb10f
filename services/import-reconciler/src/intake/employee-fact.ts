/** Orders versions: the higher revision wins; within a revision, the higher digest. */
export interface Version {
  readonly revision: number;
  readonly digest: Buffer;
}

export function isNewer(a: Version, b: Version | undefined): boolean {
  if (b === undefined || a.revision !== b.revision) return b === undefined || a.revision > b.revision;
  return Buffer.compare(a.digest, b.digest) > 0;
}

/** Identifies an employee by id, or an imported one by import_id. */
export type EmployeeKey = { readonly id: number } | { readonly importId: string };

export function formatEmployeeKey(key: EmployeeKey): string {
  return 'id' in key ? `id ${key.id}` : `import_id ${key.importId}`;
}

/** Fields of an employee other than attributes and the supervisor. */
export interface Fields {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly role: string | null;
  readonly language: string | null;
  readonly is_deleted: boolean;
}

export interface AttributeChange {
  // Normalised name, as used for matching.
  readonly key: string;
  readonly name: string;
  // Empty: the attribute is cleared.
  readonly values: readonly string[];
}

/** A valid fact about an employee. */
export interface EmployeeFact {
  readonly employeeKey: EmployeeKey;
  // Set for a fact with all fields, where missing values are null; undefined for an edit, which
  // keeps them.
  readonly fullEmployee: { readonly created_via: string; readonly import_id: string | null } | undefined;
  readonly fields: Partial<Fields>;
  readonly attributes: readonly AttributeChange[];
  readonly supervisor: EmployeeKey | null | undefined;
  readonly version: Version;
  // Encoded fact, stored when the fact is deferred.
  readonly fact: Buffer;
  readonly source: string;
  readonly line: number;
}
