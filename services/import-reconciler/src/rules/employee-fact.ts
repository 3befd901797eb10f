import type { IncomingFact, ValidFact } from '@survey/bus/facts/fact.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { EmployeeEditLine, EmployeeLine } from '@survey/bus/lines/line.ts';
import { displayAttributeName, normaliseAttributeName } from '@survey/formats/attribute-name.ts';
import { trimEmail } from '@survey/formats/email-key.ts';

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

/** Returns what a fact states about its employee. */
export function parseEmployeeFact({ content, ...incoming }: ValidFact<'employee'>): EmployeeFact {
  const parsed = 'employee' in content ? parseEdit(content) : parseFullEmployee(content);
  return { ...incoming, ...parsed, attributes: attributesOf(content.attributes ?? []) };
}

type Parsed = Pick<EmployeeFact, 'employee' | 'fullEmployee' | 'fields' | 'supervisor'>;

function parseFullEmployee(line: EmployeeLine): Parsed {
  return {
    employee: { id: line.id },
    fullEmployee: { created_via: line.created_via, import_id: line.import_id ?? null },
    fields: {
      email: trimEmail(line.email),
      firstname: line.firstname ?? null,
      lastname: line.lastname ?? null,
      role: line.role ?? null,
      language: line.language ?? null,
      is_deleted: line.is_deleted ?? false,
    },
    supervisor: line.supervisor ?? null,
  };
}

function parseEdit({ employee, email, supervisor, ...line }: EmployeeEditLine): Parsed {
  const { firstname, lastname, role, language, is_deleted } = line;
  const edited = { email: email && trimEmail(email), firstname, lastname, role, language, is_deleted };
  const fields: Partial<Fields> = Object.fromEntries(Object.entries(edited).filter(([, value]) => value !== undefined));
  return { employee, fullEmployee: undefined, fields, supervisor };
}

function attributesOf(listed: readonly { readonly name: string; readonly value: string | null }[]): AttributeChange[] {
  const attributes = new Map<string, { name: string; values: Set<string> }>();
  for (const { name, value } of listed) {
    const key = normaliseAttributeName(name);
    const shown = displayAttributeName(name);
    const attribute = attributes.get(key) ?? { name: shown, values: new Set() };
    attributes.set(key, attribute);
    if (shown < attribute.name) attribute.name = shown;
    if (value !== null) attribute.values.add(value.normalize('NFC'));
  }
  return [...attributes].map(([key, { name, values }]) => ({ key, name, values: [...values] }));
}
