import { emailKey } from '@survey/formats/email-key.ts';
import { lookOf } from '@survey/formats/attribute-name.ts';
import type { Dictionary } from './dictionary.ts';
import { DEFAULT_ROLE, type Grant, type Intent } from './interpret-record.ts';

/** Current state of an employee created by the import API. */
export interface CurrentEmployee {
  readonly id: number;
  readonly position: number;
  readonly import_id: string;
  readonly email: string;
  readonly email_key: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly language: string | null;
  readonly role: string | null;
  readonly is_deleted: boolean;
  readonly option_ids: readonly number[];
  readonly all_data: boolean;
  readonly granted_option_ids: readonly number[];
  readonly supervisor_id: number | null;
  // Whether the supervisor is deleted.
  readonly supervisor_is_deleted: boolean;
  // Whether another writer has changed this employee since the last record was applied, or that
  // record had warnings. Its hash then proves nothing.
  readonly is_hash_missing: boolean;
}

/**
 * The employee after the record, except for supervisors and grants, which are resolved after all
 * records.
 */
export interface EmployeePlan {
  readonly email: string;
  readonly emailKey: string;
  readonly firstname: string;
  readonly lastname: string;
  readonly language: string | null;
  readonly role: string | null;
  readonly optionIds: readonly number[];
  // import_id of the supervisor to resolve.
  readonly reportsTo: string | undefined;
  readonly allData: boolean;
  // Grants to resolve; undefined when grantedOptionIds is final.
  readonly grants: readonly Grant[] | undefined;
  readonly grantedOptionIds: readonly number[];
  // Contract fields whose values already differ.
  readonly changed: readonly string[];
  // Key of the address until now, when name and address now belong to somebody else (rule
  // IMPORT-IDENTITY-11).
  readonly formerEmailKey: string | undefined;
}

/** Settings of the integration. */
interface EmployeeDefaults {
  readonly default_language: string;
  // What becomes of the rights of reactivated employees.
  readonly on_return: 'keep' | 'reset';
}

/**
 * Applies a record to an employee by the rule for omitted, null and set values
 * (docs/rules/import-values.md and docs/rules/import-grants.md). A pure function; omitted
 * properties of new employees get the defaults: Respondee and the integration's language (rule
 * IMPORT-IDENTITY-2).
 */
export function planEmployee(
  intent: Intent,
  current: CurrentEmployee | undefined,
  dictionary: Dictionary,
  { default_language: defaultLanguage, on_return: onReturn }: EmployeeDefaults,
): EmployeePlan {
  // Whose rights stay where the record does not send any (rule IMPORT-IDENTITY-18).
  const entitled = current?.is_deleted === true && onReturn === 'reset' ? undefined : current;
  const role = intent.role === undefined && entitled ? entitled.role : (intent.role ?? DEFAULT_ROLE);
  const language = intent.language === undefined && current ? current.language : (intent.language ?? defaultLanguage);
  const optionIds = planOptions(intent, current, dictionary);
  const access = planAccess(intent, entitled, role);
  const plan = {
    email: intent.email,
    emailKey: intent.emailKey,
    firstname: intent.firstname,
    lastname: intent.lastname,
    language,
    role,
    optionIds,
    reportsTo: intent.reportsTo ?? undefined,
    ...access,
  };
  if (current === undefined) return { ...plan, changed: [], formerEmailKey: undefined };
  return { ...plan, changed: changedFields(plan, current), formerEmailKey: formerEmailKey(plan, current) };
}

function planOptions(intent: Intent, current: CurrentEmployee | undefined, dictionary: Dictionary): readonly number[] {
  // A shortcut: merging nothing would return the same.
  if (intent.attributes.length === 0) return current?.option_ids ?? [];
  const newOptionIds = intent.attributes.flatMap(({ key, name, value }) =>
    value === null ? [] : [dictionary.optionId({ key, name, value }, intent.index)],
  );
  const listedAttributeIds = intent.attributes.map(({ key }) => dictionary.attributeId(key) ?? 0);
  return dictionary.merge(current?.option_ids ?? [], listedAttributeIds, newOptionIds);
}

type Access = Pick<EmployeePlan, 'allData' | 'grants' | 'grantedOptionIds'>;

function planAccess(intent: Intent, current: CurrentEmployee | undefined, role: string | null): Access {
  const withoutAccess = { allData: false, grants: undefined, grantedOptionIds: [] };
  const unchanged = {
    allData: current?.all_data ?? false,
    grants: undefined,
    grantedOptionIds: current?.granted_option_ids ?? [],
  };
  // Only null clears grants; the role Respondee keeps them without effect (rules
  // IMPORT-GRANTS-ROLE-2 and IMPORT-GRANTS-ROLE-4).
  if (intent.role === null || intent.permissions === null) return withoutAccess;
  if (intent.permissions === undefined || role === DEFAULT_ROLE) return unchanged;
  const { allData, grants } = intent.permissions;
  return { allData, grants: grants.length === 0 ? undefined : grants, grantedOptionIds: [] };
}

// Names are equal if people would take them for the same name. Stored keys are compared first
// because they are at hand: the result would be the same without.
function formerEmailKey(
  plan: Pick<EmployeePlan, 'emailKey' | 'firstname' | 'lastname'>,
  current: CurrentEmployee,
): string | undefined {
  const nameOf = ({ firstname, lastname }: Pick<CurrentEmployee, 'firstname' | 'lastname'>): string =>
    lookOf(`${firstname ?? ''} ${lastname ?? ''}`);
  const isSame = plan.emailKey === current.email_key || nameOf(plan) === nameOf(current);
  const key = isSame ? plan.emailKey : emailKey(current.email);
  return key === plan.emailKey ? undefined : key;
}

function changedFields(plan: Omit<EmployeePlan, 'changed' | 'formerEmailKey'>, current: CurrentEmployee): string[] {
  const differs: Record<string, boolean> = {
    email: plan.email !== current.email,
    firstname: plan.firstname !== current.firstname,
    lastname: plan.lastname !== current.lastname,
    language: plan.language !== current.language,
    role: plan.role !== current.role,
    attributes: !sameNumbers(plan.optionIds, current.option_ids),
  };
  return Object.keys(differs).filter((field) => differs[field]);
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
