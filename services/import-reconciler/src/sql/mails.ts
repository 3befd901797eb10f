import type { Client, Pool } from '@survey/postgres/database.ts';

/** Contents of a summary: counts and reasons, never a name, an address or an attribute. */
export interface SkippedSummary {
  importUuid: string;
  // 'applied' or 'failed'.
  state: string;
  acceptedAt: string;
  counts: { created: number; updated: number; unchanged: number; reactivated: number; skipped: number; offboarded: number };
  // The first skipped records, in the order of the snapshot.
  skipped: readonly { import_id: string | null; details: readonly string[] }[];
}

/** Schedules a summary; call in the import's transaction when it skipped employees or failed. */
export async function scheduleMail(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query('insert into imports.mail (account_id, import_uuid) values ($1, $2)', [accountId, importUuid]);
}

export async function dueMails(pool: Pool): Promise<{ accountId: number; importUuid: string }[]> {
  const { rows } = await pool.query<{ accountId: number; importUuid: string }>(
    'select account_id as "accountId", import_uuid as "importUuid" from imports.due_mails()',
  );
  return rows;
}

export interface DueMail extends SkippedSummary {
  attempts: number;
  // Admins of the account who have not received it yet.
  recipients: { employeeId: number; email: string }[];
}

const LISTED = 50;

/**
 * Locks a due mail until the transaction ends. Returns undefined when another sender holds it or it
 * is no longer due.
 */
export async function claimMail(tx: Client, accountId: number, importUuid: string): Promise<DueMail | undefined> {
  const { rows } = await tx.query<{ attempts: number }>(
    `select attempts from imports.mail
     where account_id = $1 and import_uuid = $2 and sent_at is null and given_up_at is null and next_attempt_at <= now()
     for update skip locked`,
    [accountId, importUuid],
  );
  if (rows[0] === undefined) return undefined;
  return { attempts: rows[0].attempts, importUuid, ...(await readSummary(tx, accountId, importUuid)) };
}

async function readSummary(tx: Client, accountId: number, importUuid: string): Promise<Omit<DueMail, 'attempts' | 'importUuid'>> {
  const { rows } = await tx.query<Omit<DueMail, 'attempts' | 'importUuid'>>(
    `select to_char(i.accepted_at at time zone 'utc', 'YYYY-MM-DD HH24:MI "UTC"') as "acceptedAt", i.state,
            json_build_object('created', i.created, 'updated', i.updated, 'unchanged', i.unchanged,
              'reactivated', i.reactivated, 'skipped', i.skipped, 'offboarded', i.offboarded) as counts,
            coalesce((select json_agg(json_build_object('employeeId', e.id, 'email', e.email) order by e.id)
                      from imports.employee e
                      where e.account_id = $1 and e.role = 'Admin' and not e.is_deleted and e.id <> all(m.sent_to)), '[]') as recipients,
            coalesce((select json_agg(json_build_object('import_id', r.import_id, 'details', r.details) order by r.record_index)
                      from (select record_index, import_id, jsonb_path_query_array(reasons, '$[*].detail') as details
                            from imports.record_result
                            where account_id = $1 and import_uuid = $2 and outcome = 'skipped'
                            order by record_index limit $3::int) r), '[]') as skipped
     from imports.import i join imports.mail m using (account_id, import_uuid)
     where i.account_id = $1 and i.import_uuid = $2`,
    [accountId, importUuid, LISTED],
  );
  const [summary] = rows;
  if (summary === undefined) throw new Error('cannot read a summary: the import does not exist');
  return summary;
}

/** Records that the mail server accepted one admin's mail. */
export async function recordRecipient(tx: Client, accountId: number, importUuid: string, employeeId: number): Promise<void> {
  await tx.query('update imports.mail set sent_to = sent_to || $3::bigint where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
    employeeId,
  ]);
}

/** Marks the summary as sent. Returns the number of admins it was sent to. */
export async function markMailSent(tx: Client, accountId: number, importUuid: string): Promise<number> {
  const { rows } = await tx.query<{ sent: number }>(
    `update imports.mail set attempts = attempts + 1, sent_at = now() where account_id = $1 and import_uuid = $2
     returning cardinality(sent_to) as sent`,
    [accountId, importUuid],
  );
  return rows[0]?.sent ?? 0;
}

/**
 * Schedules the next attempt. More than a day after the first, ends the summary instead: as sent if
 * any admin received it, else as given up.
 */
export async function markMailFailed(
  tx: Client,
  accountId: number,
  importUuid: string,
  delayMs: number,
): Promise<'failed' | 'sent' | 'given_up'> {
  const { rows } = await tx.query<{ outcome: 'failed' | 'sent' | 'given_up' }>(
    `update imports.mail m
     set attempts = attempts + 1, next_attempt_at = now() + $3::float8 * interval '1 millisecond',
         sent_at = case when outcome = 'sent' then now() end, given_up_at = case when outcome = 'given_up' then now() end
     from (select case when now() <= created_at + interval '24 hours' then 'failed'
                       when sent_to = '{}' then 'given_up' else 'sent' end as outcome
           from imports.mail where account_id = $1 and import_uuid = $2) o
     where account_id = $1 and import_uuid = $2
     returning outcome`,
    [accountId, importUuid, delayMs],
  );
  return rows[0]?.outcome ?? 'failed';
}
