import type { ImportReason } from '@survey/formats/import-reasons.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';

/** Contents of a summary: counts and reasons, never a name, an address or an attribute. */
export interface SkippedSummary {
  importUuid: string;
  // 'applied' or 'failed'.
  state: string;
  // Why it failed.
  reasons: readonly ImportReason[];
  acceptedAt: string;
  counts: { created: number; updated: number; unchanged: number; reactivated: number; skipped: number; offboarded: number };
  // The first skipped records, in the order of the snapshot.
  skipped: readonly { import_id: string | null; codes: readonly string[] }[];
}

/** A change of the account's disclosure guard. */
export interface GuardChange {
  guard: 'off' | 'strict';
  settlingHours: number;
  changedAt: string;
  settingsVersion: number;
}

/** Schedules a summary; call in the import's transaction when it skipped employees or failed. */
export async function scheduleMail(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query('insert into imports.mail (account_id, id, import_uuid) values ($1, $2, $2)', [accountId, importUuid]);
}

/** Schedules a mail for each change of the disclosure guard that has none. */
export async function scheduleGuardMails(tx: Client, accountId: number): Promise<void> {
  await tx.query(
    `insert into imports.mail (account_id, settings_version)
     select account_id, version from imports.guard_changes() where account_id = $1 on conflict do nothing`,
    [accountId],
  );
}

/** A mail to the account's admins. */
export interface MailKey {
  accountId: number;
  // UUID.
  id: string;
}

export async function dueMails(pool: Pool): Promise<MailKey[]> {
  const { rows } = await pool.query<MailKey>('select account_id as "accountId", id from imports.due_mails()');
  return rows;
}

export interface DueMail {
  id: string;
  attempts: number;
  // Admins of the account who have not received it yet.
  recipients: { employeeId: number; email: string }[];
  about: SkippedSummary | GuardChange;
}

const LISTED = 50;

interface MailRow extends Omit<DueMail, 'about'> {
  importUuid: string | null;
  settingsVersion: number | null;
}

/**
 * Locks a due mail until the transaction ends. Returns undefined when another sender holds it or it
 * is no longer due.
 */
export async function claimMail(tx: Client, { accountId, id }: MailKey): Promise<DueMail | undefined> {
  const { rows } = await tx.query<MailRow>(
    `select m.id, m.attempts, m.import_uuid as "importUuid", m.settings_version as "settingsVersion",
            coalesce((select json_agg(json_build_object('employeeId', e.id, 'email', e.email) order by e.id)
                      from imports.employee e
                      where e.account_id = $1 and e.role = 'Admin' and not e.is_deleted and e.id <> all(m.sent_to)), '[]') as recipients
     from imports.mail m
     where m.account_id = $1 and m.id = $2 and m.sent_at is null and m.given_up_at is null and m.next_attempt_at <= now()
     for update of m skip locked`,
    [accountId, id],
  );
  const [mail] = rows;
  if (mail === undefined) return undefined;
  const { importUuid, settingsVersion, ...due } = mail;
  if (importUuid !== null) return { ...due, about: await readSummary(tx, accountId, importUuid) };
  return { ...due, about: await readGuardChange(tx, accountId, settingsVersion) };
}

const TIME = (column: string): string => `to_char(${column} at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"')`;

async function readSummary(tx: Client, accountId: number, importUuid: string): Promise<SkippedSummary> {
  const { rows } = await tx.query<SkippedSummary>(
    `select i.import_uuid as "importUuid", ${TIME('i.accepted_at')} as "acceptedAt", i.state,
            i.reasons,
            json_build_object('created', i.created, 'updated', i.updated, 'unchanged', i.unchanged,
              'reactivated', i.reactivated, 'skipped', i.skipped, 'offboarded', i.offboarded) as counts,
            coalesce((select json_agg(json_build_object('import_id', r.import_id, 'codes', r.codes) order by r.record_index)
                      from (select record_index, import_id, jsonb_path_query_array(reasons, '$[*].code') as codes
                            from imports.record_result
                            where account_id = $1 and import_uuid = $2 and outcome = 'skipped'
                            order by record_index limit $3::int) r), '[]') as skipped
     from imports.import i where i.account_id = $1 and i.import_uuid = $2`,
    [accountId, importUuid, LISTED],
  );
  const [summary] = rows;
  if (summary === undefined) throw new Error('cannot read a summary: the import does not exist');
  return summary;
}

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

/** Records that the mail server accepted one admin's mail. */
export async function recordRecipient(tx: Client, { accountId, id }: MailKey, employeeId: number): Promise<void> {
  await tx.query('update imports.mail set sent_to = sent_to || $3::bigint where account_id = $1 and id = $2', [
    accountId,
    id,
    employeeId,
  ]);
}

// The row of a mail about the guard stays, so that it is not sent again. It then names no employee.
const KEPT_RECIPIENTS = `case when m.settings_version is null then m.sent_to else '{}' end`;

/** Marks the mail as sent. Returns the number of admins it was sent to. */
export async function markMailSent(tx: Client, { accountId, id }: MailKey): Promise<number> {
  const { rows } = await tx.query<{ recipients: number }>(
    `update imports.mail m set attempts = m.attempts + 1, sent_at = now(), sent_to = ${KEPT_RECIPIENTS}
     from imports.mail before where m.account_id = $1 and m.id = $2 and before.account_id = $1 and before.id = $2
     returning cardinality(before.sent_to) as recipients`,
    [accountId, id],
  );
  return rows[0]?.recipients ?? 0;
}

/**
 * Schedules the next attempt. More than a day after the first, ends the mail instead: as sent if
 * any admin received it, else as given up.
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
                       when sent_to = '{}' then 'given_up' else 'sent' end as outcome
           from imports.mail where account_id = $1 and id = $2) o
     where m.account_id = $1 and m.id = $2
     returning o.outcome`,
    [accountId, id, delayMs],
  );
  return rows[0]?.outcome ?? 'failed';
}
