import { randomBytes } from 'node:crypto';
import { IDENTITY_WARNINGS, type ImportReason } from '@survey/formats/import-reasons.ts';
import { inAccount, type Client, type Pool } from '@survey/postgres/database.ts';
import type { Counts } from '../apply/import-outcome.ts';
import { OUTCOME_RECORDS, type Outcome } from './outcome.ts';

const TIME = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** How an import ended: counts, codes and import_ids, never a name, an address or an attribute. */
export interface ImportNotice {
  importUuid: string;
  state: 'applied' | 'cancelled' | 'failed';
  acceptedAt: string;
  finishedAt: string;
  employeesTotal: number;
  // Why it was cancelled or has failed.
  reasons: NonNullable<Outcome['reasons']>;
  counts: Counts;
  // What was noticed about the snapshot as a whole.
  snapshotWarnings: NonNullable<Outcome['snapshot_warnings']>;
  // Skipped records by reason, and applied ones by warning.
  skipped: Record<string, number>;
  warnings: Record<string, number>;
  // The first that were skipped or may be about other people, in the order of the snapshot.
  records: { import_id: string | null; codes: string[] }[];
}

/** No snapshot came within the account's schedule, or one came again. */
export interface ScheduleNotice {
  kind: 'late' | 'resumed';
  expectedBy: string | null;
}

/** An API key that is about to expire. */
export interface KeyExpiry {
  keyName: string;
  scope: string;
  expiresAt: string;
}

/** Asks the owner of an address to confirm it, by a link with the token. */
export interface ConfirmationRequest {
  accountName: string;
  addressId: number;
  token: string;
}

/** A change of the account's disclosure guard. */
export interface GuardChange {
  guard: 'off' | 'strict';
  settlingHours: number;
  changedAt: string;
  settingsVersion: number;
}

/**
 * Schedules the one mail about an import, if its end has to be told: call in its transaction.
 * Skipped records and failures always are; the account may switch the other kinds off.
 */
export async function scheduleImportMail(
  tx: Client,
  { accountId, importUuid }: { accountId: number; importUuid: string },
  { state, counts, warnings = [] }: { state: string; counts: Counts; warnings?: readonly ImportReason[] },
): Promise<void> {
  if (state !== 'failed' && counts.skipped === 0 && !(await isWanted(tx, accountId, importUuid, state, warnings))) return;
  await tx.query('insert into imports.mail (account_id, id, import_uuid) values ($1, $2, $2)', [accountId, importUuid]);
}

async function isWanted(
  tx: Client,
  accountId: number,
  importUuid: string,
  state: string,
  warnings: readonly ImportReason[],
): Promise<boolean> {
  const { rows } = await tx.query<{ off: string[] | null; has_warning: boolean }>(
    `select (select notices_off from admin.settings where account_id = $1 order by version desc limit 1) as off,
            exists (select from imports.record_result r where r.account_id = $1 and r.import_uuid = $2 and ${HAS_IDENTITY_WARNING}) as has_warning`,
    [accountId, importUuid, IDENTITY_CODES],
  );
  const { off = null, has_warning = false } = rows[0] ?? {};
  if (state === 'cancelled') return !(off ?? []).includes('cancelled');
  return (has_warning || warnings.length > 0) && !(off ?? []).includes('identity');
}

// Begins with the predicate of the index record_result_with_issues, so that the index is used; the
// rest decides.
const HAS_IDENTITY_WARNING = `(r.outcome = 'skipped' or r.warnings <> '[]') and jsonb_path_exists(r.warnings, '$[*] ? (@.code == $codes[*])', $3::jsonb)`;
const IDENTITY_CODES = JSON.stringify({ codes: IDENTITY_WARNINGS });

/** Schedules the mail that the account's schedule requires, if any. */
export async function scheduleLateMail(tx: Client, accountId: number): Promise<void> {
  const { rows } = await tx.query<{ kind: string | null; expected_by: string | null }>(
    'select imports.schedule_notice($1) as kind, imports.overdue_since($1) as expected_by',
    [accountId],
  );
  const { kind = null, expected_by = null } = rows[0] ?? {};
  if (kind === null) return;
  // The previous notice is no longer needed, because this one says what admins were told last.
  await tx.query(
    'delete from imports.mail where account_id = $1 and kind is not null and (sent_at is not null or given_up_at is not null)',
    [accountId],
  );
  await tx.query('insert into imports.mail (account_id, kind, expected_by) values ($1, $2, $3)', [
    accountId,
    kind,
    kind === 'late' ? expected_by : null,
  ]);
}

/** Schedules a mail for each key that is about to expire and of which none has reminded. */
export async function scheduleKeyMails(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `insert into imports.mail (account_id, key_id)
     select account_id, key_id from imports.keys_to_remind_of() where account_id = $1 returning 1`,
    [accountId],
  );
}

/** Schedules a mail for each change of the disclosure guard that has none. */
export async function scheduleGuardMails(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `insert into imports.mail (account_id, settings_version)
     select account_id, version from imports.guard_changes() where account_id = $1 on conflict do nothing`,
    [accountId],
  );
}

/** Schedules the mails that ask owners of further addresses to confirm them. */
export async function scheduleConfirmations(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ accountId: number; addressId: number; mailId: string }>(
    'select account_id as "accountId", address_id as "addressId", mail_id as "mailId" from imports.requested_confirmations()',
  );
  for (const { accountId, addressId, mailId } of rows)
    await inAccount(pool, accountId, (tx) =>
      tx.query('insert into imports.mail (account_id, id, address_id) values ($1, $2, $3) on conflict do nothing', [
        accountId,
        mailId,
        addressId,
      ]),
    );
}

/** A mail to people of an account. */
export interface MailKey {
  accountId: number;
  // UUID.
  id: string;
}

export async function dueMails(pool: Pool): Promise<MailKey[]> {
  const { rows } = await pool.query<MailKey>('select account_id as "accountId", id from imports.due_notices()');
  return rows;
}

/** An admin, or the owner of a further address. */
export interface Recipient {
  kind: 'admin' | 'address';
  // Id of the employee or the address.
  id: number;
  email: string;
  language: string | null;
  // Token of the link by which the owner of an address ends the mails; null for admins.
  stopToken: string | null;
}

export interface DueMail extends MailKey {
  attempts: number;
  // Only people who have not received this mail yet.
  recipients: Recipient[];
  about: ImportNotice | GuardChange | ScheduleNotice | KeyExpiry | ConfirmationRequest;
}

interface MailRow extends Omit<DueMail, 'accountId' | 'about'> {
  importUuid: string | null;
  settingsVersion: number | null;
  keyId: string | null;
  addressId: number | null;
  kind: ScheduleNotice['kind'] | null;
  expectedBy: string | null;
}

const ADMINS = `select 'admin' as kind, e.id, e.email, e.language, null as "stopToken" from imports.employee e
  where e.account_id = $1 and e.role = 'Admin' and not e.is_deleted and m.address_id is null and e.id <> all(m.sent_to)`;

// Mails about the guard and keys are for admins only. An admin who is also a further address gets
// one mail.
const ADDRESSES = `select 'address', a.id, a.email, a.language, encode(sha256(a.stop_secret::text::bytea), 'hex') from admin.notice_address a
  where a.account_id = $1 and a.removed_at is null and a.id <> all(m.sent_to_addresses)
    and (a.id = m.address_id and a.confirmed_at is null
      or m.address_id is null and m.settings_version is null and m.key_id is null and a.confirmed_at is not null and not exists (
        select from imports.employee e
        where e.account_id = $1 and e.role = 'Admin' and not e.is_deleted and imports.email_key(e.email) = a.email_key))`;

/**
 * Locks a due mail until the transaction ends; a mail that asks for a confirmation has the token.
 * Returns undefined when another sender holds it or it is no longer due.
 */
export async function claimMail(tx: Client, { accountId, id }: MailKey, token = ''): Promise<DueMail | undefined> {
  const { rows } = await tx.query<MailRow>(
    `select m.id, m.attempts, m.import_uuid as "importUuid", m.settings_version as "settingsVersion", m.address_id as "addressId", m.key_id as "keyId",
            m.kind, ${TIME('m.expected_by')} as "expectedBy",
            coalesce((select json_agg(r order by r.kind desc, r.id) from (${ADMINS} union all ${ADDRESSES}) r), '[]') as recipients
     from imports.mail m
     where m.account_id = $1 and m.id = $2 and m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
     for update of m skip locked`,
    [accountId, id],
  );
  const [mail] = rows;
  if (mail === undefined) return undefined;
  const { importUuid, settingsVersion, addressId, keyId, kind, expectedBy, ...row } = mail;
  const due = { ...row, accountId };
  if (kind !== null) return { ...due, about: { kind, expectedBy } };
  if (addressId !== null) return { ...due, about: { accountName: await readAccountName(tx), addressId, token } };
  if (keyId !== null) return { ...due, about: await readKeyExpiry(tx, accountId, keyId) };
  if (importUuid !== null) return { ...due, about: await readImport(tx, accountId, importUuid) };
  return { ...due, about: await readGuardChange(tx, accountId, settingsVersion) };
}

async function readAccountName(tx: Client): Promise<string> {
  const { rows } = await tx.query<{ name: string }>('select admin.own_account_name() as name');
  return rows[0]?.name ?? '';
}

/**
 * Returns the token of a mail that asks to confirm an address; undefined for other mails. Call it
 * before each attempt. Its hash is committed before the mail is sent, and stays with those of other
 * attempts, because any of these mails may arrive.
 */
export async function createToken(tx: Client, { accountId, id }: MailKey): Promise<string | undefined> {
  const token = randomBytes(32).toString('base64url');
  const { rowCount } = await tx.query(
    `update imports.mail set token_hashes = token_hashes || sha256($3::text::bytea)
     where account_id = $1 and id = $2 and address_id is not null and sent_at is null and given_up_at is null`,
    [accountId, id, token],
  );
  return rowCount === 0 ? undefined : token;
}

async function readImport(tx: Client, accountId: number, importUuid: string): Promise<ImportNotice> {
  const key = [accountId, importUuid, IDENTITY_CODES];
  const { rows } = await tx.query<Omit<ImportNotice, 'skipped' | 'warnings' | 'records'>>(
    `select import_uuid as "importUuid", state, ${TIME('accepted_at')} as "acceptedAt",
            ${TIME('finished_at')} as "finishedAt", employees_total as "employeesTotal", reasons, warnings as "snapshotWarnings",
            json_build_object('created', created, 'updated', updated, 'unchanged', unchanged,
              'reactivated', reactivated, 'skipped', skipped, 'offboarded', offboarded) as counts
     from imports.import where account_id = $1 and import_uuid = $2`,
    [accountId, importUuid],
  );
  const [importRow] = rows;
  if (importRow === undefined) throw new Error('cannot write a mail: the import does not exist');
  const listedRecords = await tx.query<ImportNotice['records'][number]>(
    `select r.import_id, jsonb_path_query_array(case r.outcome when 'skipped' then r.reasons else r.warnings end, '$[*].code') as codes
     ${NOTED} order by r.record_index limit ${OUTCOME_RECORDS}`,
    key,
  );
  const codeCounts = await tx.query<{ is_skipped: boolean; code: string; count: number }>(
    `select r.outcome = 'skipped' as is_skipped, i.issue ->> 'code' as code, count(distinct r.record_index) as count
     from imports.record_result r, lateral jsonb_array_elements(case r.outcome when 'skipped' then r.reasons else r.warnings end) i (issue)
     where r.account_id = $1 and r.import_uuid = $2 and (r.outcome = 'skipped' or r.warnings <> '[]')
     group by 1, 2 order by 3 desc, 2`,
    [accountId, importUuid],
  );
  const byCode = (skipped: boolean): Record<string, number> =>
    Object.fromEntries(codeCounts.rows.flatMap(({ is_skipped, code, count }) => (is_skipped === skipped ? [[code, count]] : [])));
  return { ...importRow, skipped: byCode(true), warnings: byCode(false), records: listedRecords.rows };
}

const NOTED = `from imports.record_result r
     where r.account_id = $1 and r.import_uuid = $2 and (r.outcome = 'skipped' or ${HAS_IDENTITY_WARNING})`;

async function readGuardChange(tx: Client, accountId: number, version: number | null): Promise<GuardChange> {
  const { rows } = await tx.query<GuardChange>(
    `select disclosure_guard as guard, guard_settling_hours as "settlingHours", ${TIME('changed_at')} as "changedAt",
       version as "settingsVersion"
     from admin.settings where account_id = $1 and version = $2`,
    [accountId, version],
  );
  const [change] = rows;
  if (change === undefined) throw new Error('cannot read a change of the guard: the settings do not exist');
  return change;
}

async function readKeyExpiry(tx: Client, accountId: number, keyId: string): Promise<KeyExpiry> {
  const { rows } = await tx.query<KeyExpiry>(
    `select coalesce(name, prefix || '…') as "keyName", scope, ${TIME('expires_at')} as "expiresAt"
     from admin.api_key where account_id = $1 and key_id = $2`,
    [accountId, keyId],
  );
  const [key] = rows;
  if (key === undefined) throw new Error('cannot remind of a key: it does not exist');
  return key;
}

const RECORD = {
  admin: 'update imports.mail set sent_to = sent_to || $3::bigint where account_id = $1 and id = $2',
  address: 'update imports.mail set sent_to_addresses = sent_to_addresses || $3::bigint where account_id = $1 and id = $2',
};

/** Records that the mail server accepted the mail to one recipient. */
export async function recordRecipient(tx: Client, { accountId, id }: MailKey, recipient: Recipient): Promise<void> {
  await tx.query(RECORD[recipient.kind], [accountId, id, recipient.id]);
}

// The row of a mail about the guard or a key is kept, without the employee, so that the mail is not
// sent again.
const KEPT_RECIPIENTS = `case when m.settings_version is null and m.key_id is null then m.sent_to else '{}' end`;

/** Marks the mail as sent. Returns the number of people it was sent to. */
export async function markMailSent(tx: Client, { accountId, id }: MailKey): Promise<number> {
  const { rows } = await tx.query<{ recipients: number }>(
    `update imports.mail m set attempts = m.attempts + 1, sent_at = now(), sent_to = ${KEPT_RECIPIENTS}
     from imports.mail before where m.account_id = $1 and m.id = $2 and before.account_id = $1 and before.id = $2
     returning cardinality(before.sent_to) + cardinality(before.sent_to_addresses) as recipients`,
    [accountId, id],
  );
  return rows[0]?.recipients ?? 0;
}

/**
 * Schedules the next attempt. More than a day after the first, ends the mail instead: as sent if
 * anybody received it, else as given up.
 */
export async function markMailFailed(
  tx: Client,
  { accountId, id }: MailKey,
  delayMs: number,
): Promise<'failed' | 'sent' | 'given_up'> {
  const { rows } = await tx.query<{ outcome: 'failed' | 'sent' | 'given_up' }>(
    `update imports.mail m set attempts = m.attempts + 1, next_attempt_at = now() + $3::float8 * interval '1 millisecond',
       sent_at = now() + case o.outcome when 'sent' then interval '0' end,
       given_up_at = now() + case o.outcome when 'given_up' then interval '0' end,
       sent_to = case o.outcome when 'failed' then m.sent_to else ${KEPT_RECIPIENTS} end
     from (select case when now() <= created_at + interval '24 hours' then 'failed'
                       when sent_to = '{}' and sent_to_addresses = '{}' then 'given_up' else 'sent' end as outcome
           from imports.mail where account_id = $1 and id = $2) o
     where m.account_id = $1 and m.id = $2
     returning o.outcome`,
    [accountId, id, delayMs],
  );
  return rows[0]?.outcome ?? 'failed';
}
