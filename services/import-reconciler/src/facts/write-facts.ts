import type { Client } from '@survey/postgres/database.ts';
import { FIRST_NAMED_ID, namedIds } from '../rules/dictionary-ids.ts';
import { Dictionary } from '../rules/dictionary.ts';
import type { EmployeeFact } from '../rules/employee-fact.ts';
import { type LockedAccount, renewEmployeesVersion } from '../tables/account-lock.ts';
import { endInvitationsWith } from '../tables/invitations.ts';
import { saveDictionary } from '../tables/stored-dictionary.ts';
import {
  activeEmailKey,
  type Change,
  insertEmployees,
  saveVersions,
  TooManyTogetherError,
  updateEmployees,
  type WrittenEmployee,
} from './fact-employees.ts';
import { saveSupervisors } from './fact-supervisors.ts';
import { invalidateContentHashes } from './invalidate-content-hashes.ts';
import { type FactResolution, resolveFacts } from './resolve-facts.ts';

type Written = Pick<FactResolution, 'unknown' | 'rejected' | 'refused'> & { readonly changedIds: readonly number[] };

/**
 * Applies any number of facts, in any order, to the account's employees. Returns those that could
 * not be applied, and whom the others are about.
 */
export async function writeFacts(tx: Client, account: LockedAccount, statements: readonly EmployeeFact[]): Promise<Written> {
  try {
    return await writeTogether(tx, account, statements);
  } catch (error) {
    if (!(error instanceof TooManyTogetherError)) throw error;
    const byEmployee = [...Map.groupBy(statements, ({ employee }) => JSON.stringify(employee)).values()];
    const middle = Math.ceil(byEmployee.length / 2);
    const first = await writeFacts(tx, account, byEmployee.slice(0, middle).flat());
    const second = await writeFacts(tx, account, byEmployee.slice(middle).flat());
    return {
      unknown: [...first.unknown, ...second.unknown],
      rejected: [...first.rejected, ...second.rejected],
      refused: [...first.refused, ...second.refused],
      changedIds: [...first.changedIds, ...second.changedIds],
    };
  }
}

async function writeTogether(
  tx: Client,
  { accountId, state }: LockedAccount,
  statements: readonly EmployeeFact[],
): Promise<Written> {
  const ids = namedIds({ attributeId: state.next_attribute_id, optionId: state.next_option_id });
  const dictionary = new Dictionary(undefined, ids);
  const resolution = await resolveFacts(tx, accountId, statements, dictionary);
  const { changes, applied } = resolution;
  await writeNames(tx, accountId, applied, dictionary);
  const written = changes.filter(isChanged);
  await endInvitationsWith(tx, accountId, async () => {
    await updateEmployees(tx, accountId, written.filter(({ stored }) => stored !== undefined).map(asWritten));
    await insertEmployees(tx, accountId, written.filter(({ stored }) => stored === undefined).map(asWritten));
  });
  if (written.length > 0) await renewEmployeesVersion(tx, accountId);
  await writeVersions(tx, accountId, changes);
  await writeSupervisors(tx, accountId, changes);
  await invalidateContentHashes(tx, accountId, {
    removedIds: written.filter(({ stored, draft }) => draft.employee.is_deleted && stored?.is_deleted === false).map(idOf),
    importIds: written.flatMap(({ draft }) =>
      draft.employee.created_via !== 'import_api' ? (draft.employee.import_id ?? []) : [],
    ),
    supervisedIds: changes.filter(({ draft }) => draft.supervisor?.reference != null).map(idOf),
  });
  return { ...resolution, changedIds: changes.map(idOf) };
}

// Names from superseded facts are stored as well, or the lists of attributes and options would
// depend on the order of facts.
async function writeNames(
  tx: Client,
  accountId: number,
  applied: readonly EmployeeFact[],
  dictionary: Dictionary,
): Promise<void> {
  const spellings = new Map<string, string>();
  for (const [index, { key, name, values }] of applied.flatMap(({ attributes }) => attributes).entries()) {
    const first = spellings.get(key);
    if (values.length > 0 && (first === undefined || name < first)) spellings.set(key, name);
    dictionary.use(values.map((value) => dictionary.optionId({ key, name, value }, index)));
  }
  await saveDictionary(tx, accountId, dictionary);
  await canonicalizeSpellings(tx, accountId, spellings);
}

const idOf = ({ draft }: Change): number => draft.employee.id;

function isChanged({ stored, draft: { employee } }: Change): boolean {
  if (stored === undefined) return true;
  const before: Record<string, unknown> = { ...stored };
  return Object.entries(employee).some(([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]));
}

function asWritten({ draft: { employee } }: Change): WrittenEmployee {
  return { ...employee, email_key: activeEmailKey(employee) };
}

function writeVersions(tx: Client, accountId: number, changes: readonly Change[]): Promise<void> {
  const decided = changes.flatMap(({ draft }) =>
    [...draft.fieldVersions].map(([field, version]) => ({ employeeId: draft.employee.id, field, version })),
  );
  return saveVersions(tx, accountId, decided);
}

function writeSupervisors(tx: Client, accountId: number, changes: readonly Change[]): Promise<void> {
  const stated = changes.flatMap(({ draft: { employee, supervisor } }) =>
    supervisor === undefined ? [] : [{ employeeId: employee.id, ...supervisor }],
  );
  return saveSupervisors(tx, accountId, stated);
}

/**
 * Names an attribute that facts created by the first of its spellings in byte order, since facts
 * have no order. Attributes that an import created keep their name (rule
 * IMPORT-ATTRIBUTES-NAMES-1).
 */
async function canonicalizeSpellings(tx: Client, accountId: number, spellings: ReadonlyMap<string, string>): Promise<void> {
  if (spellings.size === 0) return;
  const { rowCount } = await tx.query(
    `update imports.attribute a set name = s.name
     from unnest($2::text[], $3::text[]) as s (key, name)
     where a.account_id = $1 and a.id >= ${FIRST_NAMED_ID} and a.name_key = s.key and s.name collate "C" < a.name collate "C"`,
    [accountId, [...spellings.keys()], [...spellings.values()]],
  );
  if (rowCount === 0) return;
  await tx.query('update imports.account_state set dictionary_version = dictionary_version + 1 where account_id = $1', [
    accountId,
  ]);
}
