import type { IncomingFact } from '@survey/bus/facts/fact.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';

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
export interface EmployeeFact extends IncomingFact {
  readonly employee: EmployeeReference;
  // Set for a fact with all fields, where missing values are null; undefined for an edit, which
  // keeps them.
  readonly fullEmployee: { readonly created_via: string; readonly import_id: string | null } | undefined;
  readonly fields: Partial<Fields>;
  readonly attributes: readonly AttributeChange[];
  // Undefined: unchanged.
  readonly supervisor: EmployeeReference | null | undefined;
}
