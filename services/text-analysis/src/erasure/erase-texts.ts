import type { Erasure } from '@survey/bus/employee-erasure.ts';
import { deleteFactsOfErased } from '@survey/bus/facts/deferred-facts.ts';
import { allowLongStatements, type Client, inAccount, type Pool, type Queryable } from '@survey/postgres/database.ts';
import { failpoint } from '@survey/process/failpoint.ts';
import { Roster, type RosterPerson } from '@survey/text/masking/roster.ts';
import { MAX_CHANGES } from '../answers/account-snapshot.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { deleteResponses } from './expire-texts.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { maskEmployee } from '@survey/text/masking/mask-employee.ts';
import { languageOf } from '@survey/text/words/language.ts';

// Without an index on respondents, their responses are found by reading all responses of the
// account.
const MAX_STATEMENT_MS = 60_000;
const STEP_MS = 2_000;

/**
 * Detaches an employee's texts, which then belong to a number without an employee, or deletes them,
 * and masks the employee in all texts of the account (rule DATA-ERASURE-2). Returns 0 while texts
 * are left, else undefined. A new process begins with the first text again.
 */
export function eraseEmployee(pool: Pool): (erasure: Erasure) => Promise<number | undefined> {
  const maskedBelow = new Map<string, number>();
  return async (erasure) => {
    const { accountId, employeeId } = erasure;
    const key = `${accountId}/${employeeId}`;
    let from = maskedBelow.get(key);
    if (from === undefined) await inAccount(pool, accountId, (tx) => eraseAnswers(tx, erasure));
    from ??= 0;
    await failpoint('erase.texts_unlinked');
    const roster = new Roster(await inAccount(pool, accountId, (tx) => erasedNames(tx, accountId, employeeId)));
    // Before the answers are counted: one of these may become an answer at any time.
    if (from === 0 && roster.size > 0) await maskDeferredMentions(pool, accountId, roster);
    const answers = await inAccount(pool, accountId, (tx) => countAnswers(tx, accountId));
    const endAt = performance.now() + STEP_MS;
    while (roster.size > 0 && from < answers && performance.now() < endAt)
      from = await maskMentions(pool, accountId, roster, from);
    await failpoint('erase.texts_masked');
    maskedBelow.set(key, from);
    if (roster.size > 0 && from < answers) return 0;
    maskedBelow.delete(key);
    return undefined;
  };
}

async function eraseAnswers(tx: Client, erasure: Erasure): Promise<void> {
  const { accountId, employeeId, answers } = erasure;
  await allowLongStatements(tx, MAX_STATEMENT_MS);
  const state = await lockAccountState(tx, accountId);
  await deleteFactsOfErased(tx, 'text', erasure);
  const respondent = await deleteRespondent(tx, accountId, employeeId);
  if (respondent === undefined) return;
  if (answers === 'anonymise') return unlinkResponses(tx, accountId, respondent);
  await deleteResponses(tx, accountId, await responsesOf(tx, accountId, respondent));
  // More changes than a cache can follow: every process loads the account's answers again.
  state.sequence += MAX_CHANGES + 1;
  await saveAccountState(tx, accountId, state);
}

/** Deletes the link from a respondent's ordinal to the employee. Returns the ordinal, if any. */
async function deleteRespondent(tx: Client, accountId: number, employeeId: number): Promise<number | undefined> {
  const { rows } = await tx.query<{ ordinal: number }>(
    'delete from text.respondent where account_id = $1::bigint and employee_id = $2::bigint returning ordinal',
    [accountId, employeeId],
  );
  return rows[0]?.ordinal;
}

/** Deletes the digests of facts: a known fact could be compared with them. */
async function unlinkResponses(tx: Client, accountId: number, respondent: number): Promise<void> {
  await tx.query(`update text.response set digest = '' where account_id = $1::bigint and respondent = $2::integer`, [
    accountId,
    respondent,
  ]);
}

/** Returns the ids of a respondent's responses. */
async function responsesOf(tx: Client, accountId: number, respondent: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    'select id from text.response where account_id = $1::bigint and respondent = $2::integer',
    [accountId, respondent],
  );
  return rows.map(({ id }) => id);
}

/** Returns the names by which texts may mention the employee, until the erasure ends. */
async function erasedNames(tx: Client, accountId: number, employeeId: number): Promise<RosterPerson[]> {
  const { rows } = await tx.query<RosterPerson>(
    `select firstname, lastname, email from imports.erased_employee
     where account_id = $1::bigint and employee_id = $2::bigint and email is not null`,
    [accountId, employeeId],
  );
  return rows;
}

/** Returns the first answer id that is not assigned yet. */
async function countAnswers(tx: Client, accountId: number): Promise<number> {
  const { rows } = await tx.query<{ answers: number }>('select answers from text.account_state where account_id = $1::bigint', [
    accountId,
  ]);
  return rows[0]?.answers ?? 0;
}

const BATCH = 500;

/**
 * Masks the employees of the roster in the stored texts with ids from `from`, originals included:
 * later masking no longer knows their names. Returns the first id that is left.
 */
async function maskMentions(pool: Pool, accountId: number, roster: Roster, from: number): Promise<number> {
  const below = from + BATCH;
  const masks = await inAccount(pool, accountId, (tx) => masksIn(tx, accountId, roster, { from, below }));
  // Nearly every batch mentions no employee and needs no lock.
  if (masks.length > 0) {
    await inAccount(pool, accountId, async (tx) => {
      await lockAccountState(tx, accountId);
      await saveMentionMasks(tx, accountId, await masksIn(tx, accountId, roster, { from, below }));
    });
  }
  return below;
}

/**
 * Masks the employees of the roster in the texts of responses that wait for their own employee.
 * They become answers when that employee arrives, and nobody knows the names of the roster by then.
 */
async function maskDeferredMentions(pool: Pool, accountId: number, roster: Roster): Promise<void> {
  let last: DeferredKey | undefined = { objectId: '', missingObject: '' };
  while (last !== undefined) last = await maskDeferredAfter(pool, accountId, roster, last);
}

async function maskDeferredAfter(
  pool: Pool,
  accountId: number,
  roster: Roster,
  after: DeferredKey,
): Promise<DeferredKey | undefined> {
  return inAccount(pool, accountId, async (tx) => {
    // Applying such a response takes the same lock.
    await lockAccountState(tx, accountId);
    const { rows } = await tx.query<DeferredResponse>(
      `select object_id as "objectId", missing_object as "missingObject", fact from text.deferred_fact
       where account_id = $1::bigint and kind = 'response' and (object_id, missing_object) > ($2::text, $3::text)
       order by object_id, missing_object limit ${BATCH}`,
      [accountId, after.objectId, after.missingObject],
    );
    for (const row of rows) await maskDeferred(tx, accountId, roster, row);
    return rows.length < BATCH ? undefined : rows.at(-1);
  });
}

interface DeferredKey {
  readonly objectId: string;
  readonly missingObject: string;
}

interface DeferredResponse extends DeferredKey {
  readonly fact: Buffer;
}

async function maskDeferred(
  tx: Client,
  accountId: number,
  roster: Roster,
  { objectId, missingObject, fact: stored }: DeferredResponse,
): Promise<void> {
  const fact = Fact.decode(stored);
  if (fact.response == null || !fact.response.answers.some(({ text }) => text != null && roster.hasWordOf(text))) return;
  for (const answer of fact.response.answers) {
    if (answer.text == null) continue;
    const language = languageOf(answer.text, null);
    answer.text = await maskEmployee(embeddedMasker, { text: answer.text, language, roster });
  }
  // The digest still belongs to the fact as it was received.
  await tx.query(
    `update text.deferred_fact set fact = $4
     where account_id = $1::bigint and kind = 'response' and object_id = $2 and missing_object = $3`,
    [accountId, objectId, missingObject, Buffer.from(Fact.encode(fact).finish())],
  );
}

async function masksIn(
  db: Queryable,
  accountId: number,
  roster: Roster,
  range: { readonly from: number; readonly below: number },
): Promise<StoredText[]> {
  const masks: StoredText[] = [];
  for (const { id, text, expectedLanguage, masked } of await readTexts(db, accountId, range)) {
    const language = languageOf(text, expectedLanguage);
    const mask = (each: string): Promise<string> => maskEmployee(embeddedMasker, { text: each, language, roster });
    const after = { id, expectedLanguage, text: await mask(text), masked: masked === null ? null : await mask(masked) };
    if (after.text !== text || after.masked !== masked) masks.push(after);
  }
  return masks;
}

/** An answer's text, and its mask by any policy. */
interface StoredText {
  readonly id: number;
  readonly text: string;
  readonly expectedLanguage: string | null;
  readonly masked: string | null;
}

/** Reads the texts of the answers in an id range. */
async function readTexts(
  db: Queryable,
  accountId: number,
  { from, below }: { readonly from: number; readonly below: number },
): Promise<StoredText[]> {
  const { rows } = await db.query<StoredText>(
    `select a.id, a.content as text, r.language as "expectedLanguage", m.content as masked
     from text.answer a
     cross join lateral (select language from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
     left join lateral (select content from text.masked_text where account_id = $1::bigint and answer = a.id offset 0) m on true
     where a.account_id = $1::bigint and a.id >= $2::integer and a.id < $3::integer and a.content is not null`,
    [accountId, from, below],
  );
  return rows;
}

// Stages that process the old text now discard their result, so pending answers are due again.
const SAVE = `
with changed as (
  select * from unnest($2::integer[], $3::text[], $4::text[]) c (id, text, masked)
), answer as (
  update text.answer a set content = c.text, content_version = a.content_version + 1
  from changed c where a.account_id = $1::bigint and a.id = c.id and a.content <> c.text
), pending as (
  update text.pending set dispatched = false, due_at = now()
  where account_id = $1::bigint and stage = any(array['mask', 'categorise', 'sentiment']) and answer = any($2::integer[])
)
update text.masked_text m set content = c.masked
from changed c where m.account_id = $1::bigint and m.answer = c.id and c.masked is not null`;

/**
 * Replaces texts and their masks; the results of other stages are kept. Requires lockAccountState.
 */
async function saveMentionMasks(tx: Client, accountId: number, texts: readonly StoredText[]): Promise<void> {
  await tx.query(SAVE, [accountId, texts.map(({ id }) => id), texts.map(({ text }) => text), texts.map(({ masked }) => masked)]);
}
