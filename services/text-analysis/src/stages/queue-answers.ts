import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Stage } from '../tables/account-state.ts';

// Imported answers are never masked (rule TEXTS-MASKING-1).
const QUEUE = `
insert into text.pending as waiting (account_id, stage, answer)
select a.account_id, s.stage, a.id
from text.answer a
join text.response r on r.account_id = a.account_id and r.id = a.response_id
cross join unnest($2::text[]) s (stage)
where a.account_id = $1::bigint and a.id = any($3::integer[]) and a.content is not null and not (s.stage = 'mask' and r.imported)
  and not exists (
    select from text.given_up g where g.account_id = $1::bigint and g.stage = s.stage and g.answer = a.id and g.crashed
  )
on conflict (account_id, stage, answer) do update set attempts = 0, due_at = excluded.due_at, dispatched = false`;

/**
 * Queues answers for stages, due at once, also those that are queued already, but not those that a
 * stage gave up because of crashes.
 */
export async function queueAnswers(
  tx: Client,
  accountId: number,
  stages: Iterable<Stage>,
  answers: readonly number[],
): Promise<void> {
  if (answers.length === 0) return;
  const { rowCount } = await tx.query(QUEUE, [accountId, [...stages], answers]);
  if (rowCount !== 0) await markDue(tx, 'text', 'dispatch', [accountId]);
}
