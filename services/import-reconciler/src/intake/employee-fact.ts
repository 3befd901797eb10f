/** Of two statements about one thing the higher revision counts, of two with one revision the higher digest. */
export interface Version {
  readonly revision: number;
  readonly digest: Buffer;
}

export function isNewer(a: Version, b: Version | undefined): boolean {
  if (b === undefined || a.revision !== b.revision) return b === undefined || a.revision > b.revision;
  return Buffer.compare(a.digest, b.digest) > 0;
}

/** An employee by id, or one of the import API by import_id. */
export type EmployeeKey = { readonly id: number } | { readonly importId: string };

export function formatEmployeeKey(key: EmployeeKey): string {
  return 'id' in key ? `id ${key.id}` : `import_id ${key.importId}`;
}

/** What a fact may say about an employee, apart from attributes and the supervisor. */
export interface Fields {
  readonly email: string;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly role: string | null;
  readonly language: string | null;
  readonly is_deleted: boolean;
}

export interface AttributeChange {
  // As it is matched.
  readonly key: string;
  readonly name: string;
  // Empty: cleared.
  readonly values: readonly string[];
}

/** A valid fact about an employee. */
export interface EmployeeFact {
  readonly employeeKey: EmployeeKey;
  // The whole employee: what is not said is null. Undefined for an edit, which leaves alone what it does not say.
  readonly fullEmployee: { readonly created_via: string; readonly import_id: string | null } | undefined;
  readonly fields: Partial<Fields>;
  readonly attributes: readonly AttributeChange[];
  readonly supervisor: EmployeeKey | null | undefined;
  readonly version: Version;
  // The fact's bytes, to be kept when it has to wait.
  readonly fact: Buffer;
  readonly source: string;
  readonly line: number;
}
