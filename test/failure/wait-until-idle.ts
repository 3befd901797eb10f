import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';

const UNSETTLED = `
  select 'an import has not ended' as what from imports.import where account_id = any($1) and finished_at is null
  union all select 'a message is not sent' from imports.outbox where account_id = any($1) and sent_at is null
  union all select 'a mail is not sent' from imports.mail where $2 and account_id = any($1) and sent_at is null and given_up_at is null
  limit 1`;

/** Waits until nothing of these accounts is left to do: imports ended, messages and, where asked for, mails sent. Throws when that takes longer. */
export async function untilSettled(db: Pool, accountIds: readonly number[], limitMs: number, mails = false): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const left = await whatIsLeft(db, accountIds, mails).catch(() => 'PostgreSQL does not answer');
    if (left === undefined) return;
    if (Date.now() > deadline) throw new Error(`stuck: ${left} after ${limitMs / 1_000} s`);
    await sleep(20);
  }
}

async function whatIsLeft(db: Pool, accountIds: readonly number[], mails: boolean): Promise<string | undefined> {
  const { rows } = await db.query<{ what: string }>(UNSETTLED, [accountIds, mails]);
  return rows[0]?.what;
}
