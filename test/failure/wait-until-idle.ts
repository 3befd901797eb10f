import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';

const UNFINISHED = `
  select 'an import has not ended' as what from imports.import where account_id = any($1) and finished_at is null
  union all select 'a message is not sent' from imports.outbox where account_id = any($1) and sent_at is null
  union all select 'a mail is not sent' from imports.mail where $2 and account_id = any($1) and sent_at is null and given_up_at is null
  limit 1`;

/**
 * Waits until all imports of these accounts have ended and all messages (and optionally mails) are
 * sent. @throws after the time limit.
 */
export async function waitUntilIdle(db: Pool, accountIds: readonly number[], limitMs: number, mails = false): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const unfinished = await findUnfinished(db, accountIds, mails).catch(() => 'PostgreSQL does not respond');
    if (unfinished === undefined) return;
    if (Date.now() > deadline) throw new Error(`cannot become idle within ${limitMs / 1_000} s: ${unfinished}`);
    await sleep(20);
  }
}

async function findUnfinished(db: Pool, accountIds: readonly number[], mails: boolean): Promise<string | undefined> {
  const { rows } = await db.query<{ what: string }>(UNFINISHED, [accountIds, mails]);
  return rows[0]?.what;
}
