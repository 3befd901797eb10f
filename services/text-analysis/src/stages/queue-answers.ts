import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { Stage } from '../tables/account-state.ts';

// Imported answers are never masked (rule TEXTS-MASKING-1). With "offset 0": one index lookup per
// answer (docs/adr/0029-no-plan-depends-on-neighbours.md).
const QUEUE_ANSWERS = `
insert into text.pending as waiting (account_id, stage, answer)
select $1::bigint, s.stage, a.id
from (select distinct unnest($3::integer[]) as id) wanted cross join lateral (
  select a.id, r.imported from text.answer a join text.response r on r.account_id = a.account_id and r.id = a.response_id
  where a.account_id = $1::bigint and a.id = wanted.id and a.content is not null offset 0) a
cross join unnest($2::text[]) s (stage)
where not (s.stage = 'mask' and a.imported) and not exists (
  select from text.given_up g where g.account_id = $1::bigint and g.stage = s.stage and g.answer = a.id and g.crashed offset 0
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
  const { rowCount } = await tx.query(QUEUE_ANSWERS, [accountId, [...stages], answers]);
  if (rowCount !== 0) await markDue(tx, 'text', 'dispatch', [accountId]);
}
