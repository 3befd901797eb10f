import { applyByEmployee, type EmployeeDeferral } from '@survey/bus/facts/apply-by-employee.ts';
import type { FoundEmployee } from '@survey/bus/facts/employees.ts';
import { type ApplyFacts, type ValidFact, isNewer, type Version } from '@survey/bus/facts/fact.ts';
import type { ResponseLine } from '@survey/bus/lines/line.ts';
import { microsecondsOf } from '@survey/formats/instant.ts';
import type { Client } from '@survey/postgres/database.ts';
import { type AccountState, lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { assignDeferredTopics } from './apply-topics.ts';
import { replaceAnswers } from './replace-answers.ts';

export const DEFERRED_RESPONSES: EmployeeDeferral<'response'> = {
  schema: 'text',
  kind: 'response',
  table: 'text.response',
  idType: 'uuid',
  takesOptions: true,
};

type MatchedResponse = ValidFact<'response'> & { readonly employee: FoundEmployee };

/**
 * Ingests text answers. A newer revision of a response replaces the answers of the earlier one.
 * A response is deferred until its employee exists, and gets the options that the employee has
 * then.
 */
export const applyResponses: ApplyFacts<'response'> = async (tx, accountId, facts) => {
  const state = await lockAccountState(tx, accountId);
  return applyByEmployee(tx, accountId, DEFERRED_RESPONSES, facts, async (matchedFacts) => {
    const ids = matchedFacts.map(({ content }) => content.id);
    const versions = await readKnownVersions(tx, accountId, ids);
    const newerFacts = matchedFacts.filter((fact) => isNewer(fact, versions.get(fact.content.id)));
    if (newerFacts.length > 0) await write(tx, accountId, state, newerFacts);
  });
};

async function write(tx: Client, accountId: number, state: AccountState, newerFacts: readonly MatchedResponse[]): Promise<void> {
  const cycleKey = ({ cycle_id, survey_id }: ResponseLine): string => `${cycle_id} ${survey_id}`;
  const ordinalsOf = assignOrdinals.bind(undefined, tx, accountId, state);
  const respondentOf = await ordinalsOf(
    'respondents',
    newerFacts.map(({ employee }) => String(employee.id)),
  );
  const cycleOf = await ordinalsOf(
    'cycles',
    newerFacts.map(({ content }) => cycleKey(content)),
  );
  const optionSetOf = await ordinalsOf(
    'option_sets',
    newerFacts.map(({ employee }) => employee.optionIds.join()),
  );
  const rows = newerFacts.map(({ content, revision, digest, employee }) => ({
    id: content.id,
    revision,
    digest,
    cycle: cycleOf(cycleKey(content)),
    respondent: respondentOf(String(employee.id)),
    employeeId: employee.id,
    optionSet: optionSetOf(employee.optionIds.join()),
    imported: content.imported ?? false,
    submittedUs: microsecondsOf(content.submitted_at),
  }));
  await saveResponses(tx, accountId, rows);
  const responses = newerFacts.map(({ content }) => content);
  await replaceAnswers(tx, accountId, state, responses);
  await saveAccountState(tx, accountId, state);
  const missingObjects = responses.map(({ id }) => `response ${id}`);
  await assignDeferredTopics(tx, accountId, state, missingObjects);
}

// SQL that finds and numbers objects of a kind by their keys. $2: keys; $3: ordinals.
export const KINDS = {
  // Employee ids.
  respondents: {
    find: `select employee_id::text as key, ordinal from text.respondent
           where account_id = $1::bigint and employee_id = any($2::text[]::bigint[])`,
    insert: `insert into text.respondent (account_id, employee_id, ordinal)
             select $1::bigint, n.key::bigint, n.ordinal from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
  // `<cycle id> <survey id>`.
  cycles: {
    find: `select cycle_id || ' ' || survey_id as key, ordinal from text.cycle
           where account_id = $1::bigint and cycle_id = any(array(select split_part(k, ' ', 1)::uuid from unnest($2::text[]) k))`,
    insert: `insert into text.cycle (account_id, cycle_id, survey_id, ordinal)
             select $1::bigint, split_part(n.key, ' ', 1)::uuid, split_part(n.key, ' ', 2)::bigint, n.ordinal
             from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
  // Option ids, sorted, joined with commas.
  option_sets: {
    find: `select array_to_string(option_ids, ',') as key, ordinal from text.option_set
           where account_id = $1::bigint and key = any(array(select sha256(convert_to(k, 'UTF8')) from unnest($2::text[]) k))`,
    insert: `insert into text.option_set (account_id, option_ids, key, ordinal)
             select $1::bigint, ('{' || n.key || '}')::integer[], sha256(convert_to(n.key, 'UTF8')), n.ordinal
             from unnest($2::text[], $3::integer[]) n (key, ordinal) returning 1`,
  },
} as const satisfies Partial<Record<keyof AccountState, { find: string; insert: string }>>;

/** Returns the ordinals of objects by key, and assigns missing ones. Needs lockAccountState. */
async function assignOrdinals(
  tx: Client,
  accountId: number,
  state: AccountState,
  kind: keyof typeof KINDS,
  keys: Iterable<string>,
): Promise<(key: string) => number> {
  const uniqueKeys = [...new Set(keys)];
  const { find, insert } = KINDS[kind];
  const { rows } = await tx.query<{ key: string; ordinal: number }>(find, [accountId, uniqueKeys]);
  const ordinals = new Map(rows.map(({ key, ordinal }) => [key, ordinal]));
  const unnumbered = uniqueKeys.filter((key) => !ordinals.has(key));
  for (const key of unnumbered) ordinals.set(key, state[kind]++);
  if (unnumbered.length > 0) await tx.query(insert, [accountId, unnumbered, unnumbered.map((key) => ordinals.get(key))]);
  return (key) => {
    const ordinal = ordinals.get(key);
    if (ordinal === undefined) throw new Error('expected an ordinal for every key');
    return ordinal;
  };
}

interface SavedResponse extends Version {
  readonly id: string;
  readonly cycle: number;
  readonly respondent: number;
  readonly employeeId: number;
  readonly optionSet: number;
  readonly imported: boolean;
  // Microseconds since 1970.
  readonly submittedUs: number;
}

// With "offset 0": one index lookup per response (docs/adr/0029-no-plan-depends-on-neighbours.md).
const KNOWN_VERSIONS = `
select r.id, r.revision, r.digest
from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select id, revision, digest from text.response where account_id = $1::bigint and id = wanted.id offset 0) r`;

/** Returns the ingested revisions of these responses by id. */
async function readKnownVersions(tx: Client, accountId: number, ids: readonly string[]): Promise<Map<string, Version>> {
  const { rows } = await tx.query<Version & { id: string }>(KNOWN_VERSIONS, [accountId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

// The options of the first revision are kept as long as the respondent is the same.
const SAVE_RESPONSES = `
insert into text.response as kept (account_id, id, revision, digest, cycle, respondent, option_set, imported, submitted_month, language)
select $1::bigint, f.id, f.revision, f.digest, f.cycle, f.respondent, f.option_set, f.imported,
  date_trunc('month', timestamp 'epoch' + f.submitted_us * interval '1 microsecond')::date, coalesce(e.language, i.default_language)
from unnest($2::uuid[], $3::bigint[], $4::bytea[], $5::integer[], $6::integer[], $7::integer[], $8::boolean[], $9::bigint[],
  $10::bigint[]) f (id, revision, digest, cycle, respondent, option_set, imported, employee, submitted_us)
left join lateral (select language from imports.employee where account_id = $1::bigint and id = f.employee offset 0) e on true
left join admin.integration i on i.account_id = $1::bigint
on conflict (account_id, id) do update set revision = excluded.revision, digest = excluded.digest, cycle = excluded.cycle,
  respondent = excluded.respondent, imported = excluded.imported, submitted_month = excluded.submitted_month, language = excluded.language,
  option_set = case when kept.respondent = excluded.respondent then kept.option_set else excluded.option_set end`;

async function saveResponses(tx: Client, accountId: number, responses: readonly SavedResponse[]): Promise<void> {
  await tx.query(SAVE_RESPONSES, [
    accountId,
    responses.map(({ id }) => id),
    responses.map(({ revision }) => revision),
    responses.map(({ digest }) => digest),
    responses.map(({ cycle }) => cycle),
    responses.map(({ respondent }) => respondent),
    responses.map(({ optionSet }) => optionSet),
    responses.map(({ imported }) => imported),
    responses.map(({ employeeId }) => employeeId),
    responses.map(({ submittedUs }) => submittedUs),
  ]);
}
