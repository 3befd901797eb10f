import { isNewer, type Version } from '@survey/bus/facts/fact.ts';
import type { EmployeeReference } from '@survey/bus/lines/values.ts';
import type { Dictionary } from './dictionary.ts';
import type { AttributeChange, EmployeeFact, Fields } from './employee-fact.ts';

/** An employee as stored. */
export interface StoredEmployee extends Fields {
  readonly id: number;
  readonly created_via: string;
  readonly import_id: string | null;
  readonly option_ids: readonly number[];
}

/**
 * Versions by field. The whole employee is the field ''; an attribute is 'attribute:<normalised
 * name>'.
 */
export type Versions = ReadonlyMap<string, Version>;

/** An employee after applying facts. */
export interface Draft {
  readonly employee: StoredEmployee;
  // Versions of the fields that the facts changed.
  readonly fieldVersions: Versions;
  // Supervisor to resolve once all employees are written; undefined when unchanged.
  readonly supervisor: { readonly reference: EmployeeReference | null; readonly by: EmployeeFact } | undefined;
}

const EMPTY_EMPLOYEE: Omit<StoredEmployee, 'id'> = {
  created_via: 'app',
  import_id: null,
  email: '',
  firstname: null,
  lastname: null,
  role: null,
  language: null,
  is_deleted: false,
  option_ids: [],
};

/**
 * Applies facts about one employee, each field from its newest fact. The result does not depend on
 * order or repetition. Returns undefined when the employee does not exist: edits do not create one.
 */
export function draftOf(
  stored: StoredEmployee | undefined,
  versions: Versions,
  statements: readonly EmployeeFact[],
  dictionary: Dictionary,
): Draft | undefined {
  const wholes = statements.filter(({ fullEmployee }) => fullEmployee !== undefined);
  const edits = statements.filter(({ fullEmployee }) => fullEmployee === undefined);
  const id = stored?.id ?? wholes.map(({ employee }) => ('id' in employee ? employee.id : 0))[0];
  if (id === undefined) return undefined;
  const drafting = new DraftBuilder(stored ?? { ...EMPTY_EMPLOYEE, id }, versions, dictionary);
  for (const statement of [...wholes, ...edits]) drafting.apply(statement);
  return drafting.draft();
}

// Options are merged once, at the end, because an employee may have thousands of attributes, each
// from a fact.
class DraftBuilder {
  #employee: StoredEmployee;
  #whole: EmployeeFact | undefined;
  readonly #edited = new Map<string, AttributeChange>();
  #supervisor: Draft['supervisor'];
  readonly #storedVersions: Versions;
  readonly #newVersions = new Map<string, Version>();
  readonly #dictionary: Dictionary;

  constructor(stored: StoredEmployee, versions: Versions, dictionary: Dictionary) {
    this.#employee = stored;
    this.#storedVersions = versions;
    this.#dictionary = dictionary;
  }

  apply(statement: EmployeeFact): void {
    const { fullEmployee, fields } = statement;
    if (!isNewer(statement, this.#version(''))) return;
    const isNewest = (field: string): boolean => isNewer(statement, this.#version(field));
    const fieldVersions = Object.fromEntries(Object.entries(fields).filter(([field]) => isNewest(field)));
    // The application may still send the former identity of an employee whom the import has adopted
    // (rule IMPORT-IDENTITY-17).
    const identity = this.#employee.created_via === 'import_api' ? {} : fullEmployee;
    this.#employee = { ...this.#employee, ...fieldVersions, ...identity };
    if (statement.supervisor !== undefined && isNewest('supervisor')) {
      this.#supervisor = { reference: statement.supervisor, by: statement };
    }
    if (fullEmployee !== undefined) {
      this.#whole = statement;
      this.#newVersions.set('', statement);
      return;
    }
    for (const change of statement.attributes) if (isNewest(attributeField(change.key))) this.#edited.set(change.key, change);
    for (const field of fieldsOf(statement).filter(isNewest)) this.#newVersions.set(field, statement);
  }

  draft(): Draft {
    return {
      employee: { ...this.#employee, option_ids: this.#optionIds() },
      fieldVersions: this.#newVersions,
      supervisor: this.#supervisor,
    };
  }

  #version(field: string): Version | undefined {
    return this.#newVersions.get(field) ?? this.#storedVersions.get(field);
  }

  // The newest whole employee keeps attributes with newer edits; edits replace theirs.
  #optionIds(): number[] {
    const dictionary = this.#dictionary;
    const current = this.#employee.option_ids;
    const whole = this.#whole;
    const attributeIdsOf = (keys: Iterable<string>): number[] => Array.from(keys, (key) => dictionary.attributeId(key) ?? 0);
    const edited = [...this.#edited.values()];
    const optionIdsOf = (changes: readonly AttributeChange[]): number[] =>
      changes.flatMap(({ key, name, values }) => values.map((value) => dictionary.optionId({ key, name, value })));
    if (whole === undefined) return dictionary.merge(current, attributeIdsOf(this.#edited.keys()), optionIdsOf(edited));
    const isStated = (key: string): boolean =>
      isNewer(whole, this.#storedVersions.get(attributeField(key))) && !this.#edited.has(key);
    const stated = whole.attributes.filter(({ key }) => isStated(key));
    const unstated = editedAttributes(this.#storedVersions).filter((key) => !isStated(key) && !this.#edited.has(key));
    return dictionary.merge(dictionary.optionsOf(current, attributeIdsOf(unstated)), [], optionIdsOf([...stated, ...edited]));
  }
}

const ATTRIBUTE = 'attribute:';

function attributeField(key: string): string {
  return `${ATTRIBUTE}${key}`;
}

/** Returns the normalised names of the attributes that have versions. */
export function editedAttributes(versions: Versions): string[] {
  return [...versions.keys()].filter((field) => field.startsWith(ATTRIBUTE)).map((field) => field.slice(ATTRIBUTE.length));
}

/** Returns the fields that a fact is about. */
export function fieldsOf({ fields, attributes, supervisor }: EmployeeFact): string[] {
  return [
    ...Object.keys(fields),
    ...attributes.map(({ key }) => attributeField(key)),
    ...(supervisor === undefined ? [] : ['supervisor']),
  ];
}
