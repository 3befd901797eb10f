import type { Client, Pool } from '@survey/postgres/database.ts';
import type { SkippedSummary } from '../mail/compose-summary.ts';

/** Makes a summary due; call in the import's transaction, when it skipped employees or failed. */
export async function requestMail(tx: Client, accountId: number, importUuid: string): Promise<void> {
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
  // Of the account's admins, by their role.
  to: string[];
}

const LISTED = 50;

/** Locks a due mail for the length of the transaction; undefined when another sender has it or it is no longer due. */
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
            array(select e.email from imports.employee e
                  where e.account_id = $1 and e.role = 'Admin' and not e.is_deleted order by e.id) as "to",
            coalesce((select json_agg(json_build_object('import_id', r.import_id, 'details', r.details) order by r.index)
                      from (select index, import_id, jsonb_path_query_array(reasons, '$[*].detail') as details
                            from imports.result
                            where account_id = $1 and import_uuid = $2 and outcome = 'skipped'
                            order by index limit $3::int) r), '[]') as skipped
     from imports.import i where i.account_id = $1 and i.import_uuid = $2`,
    [accountId, importUuid, LISTED],
  );
  const [summary] = rows;
  if (summary === undefined) throw new Error('a mail without its import');
  return summary;
}

export async function mailSent(tx: Client, accountId: number, importUuid: string): Promise<void> {
  await tx.query('update imports.mail set attempts = attempts + 1, sent_at = now() where account_id = $1 and import_uuid = $2', [
    accountId,
    importUuid,
  ]);
}

/** Puts the next attempt off, or gives the mail up a day after it was due first. Answers with true when it is given up. */
export async function mailFailed(tx: Client, accountId: number, importUuid: string, delayMs: number): Promise<boolean> {
  const { rows } = await tx.query<{ given_up: boolean }>(
    `update imports.mail
     set attempts = attempts + 1, next_attempt_at = now() + $3::float8 * interval '1 millisecond',
         given_up_at = case when now() > created_at + interval '24 hours' then now() end
     where account_id = $1 and import_uuid = $2
     returning given_up_at is not null as given_up`,
    [accountId, importUuid, delayMs],
  );
  return rows[0]?.given_up ?? false;
}
