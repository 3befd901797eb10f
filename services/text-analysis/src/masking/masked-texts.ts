import type { Client } from '@survey/postgres/database.ts';
import { markDue } from '@survey/postgres/due.ts';
import type { StageResult } from '../stages/pending.ts';

// Imported answers are never masked (rule TEXTS-MASKING-1).
const QUEUE_UNMASKED = `
insert into text.pending (account_id, stage, answer)
select a.account_id, 'mask', a.id
from text.answer a
cross join lateral (select imported from text.response where account_id = $1::bigint and id = a.response_id offset 0) r
where a.account_id = $1::bigint and a.id >= $3::integer and a.id < $4::integer and a.content is not null and not r.imported
  and not exists (
    select from text.masked_text m
    where m.account_id = $1::bigint and m.answer = a.id and m.policy = $2::bigint and m.masker = $5::integer offset 0)
  and not exists (select from text.given_up g where g.account_id = $1::bigint and g.stage = 'mask' and g.answer = a.id offset 0)
on conflict do nothing`;

/** By which policy, and by which version of the masker, as a number, a text is masked. */
export interface MaskedBy {
  readonly policy: string;
  readonly masker: number;
}

/**
 * Queues the answers whose id is at least `from` and below `to` and that have no mask of this
 * policy and masker, unless given up.
 */
export async function queueUnmasked(
  tx: Client,
  accountId: number,
  { policy, masker }: MaskedBy,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.query(QUEUE_UNMASKED, [accountId, policy, from, to, masker]);
  await markDue(tx, 'text', 'dispatch', [accountId]);
}

// Saves masks only of texts that have not changed since.
const SAVE = `
insert into text.masked_text (account_id, answer, policy, content, sequence, masker)
select a.account_id, a.id, $2::bigint, f.content, $6::bigint, $7::integer
from unnest($3::integer[], $4::integer[], $5::text[]) f (id, content_version, content)
join text.answer a on a.account_id = $1::bigint and a.id = f.id and a.content_version = f.content_version and a.content is not null
on conflict (account_id, answer) do update set policy = excluded.policy, content = excluded.content, sequence = excluded.sequence,
  masker = excluded.masker
returning answer`;

/** Saves masks under this sequence. Returns the ids of the answers whose texts are unchanged. */
export async function saveMasks(
  tx: Client,
  accountId: number,
  { policy, masker }: MaskedBy,
  sequence: number,
  masked: readonly StageResult<string>[],
): Promise<number[]> {
  const { rows } = await tx.query<{ answer: number }>(SAVE, [
    accountId,
    policy,
    masked.map(({ id }) => id),
    masked.map(({ textVersion }) => textVersion),
    masked.map(({ result }) => result),
    sequence,
    masker,
  ]);
  return rows.map(({ answer }) => answer);
}

/** Lets the backfill of masks look at these answers once more. */
export async function maskAgainLater(tx: Client, accountId: number, answers: readonly number[]): Promise<void> {
  await tx.query(
    `update text.backfill set enqueued_below = least(enqueued_below, (select min(a) from unnest($2::integer[]) a))
     where account_id = $1::bigint and stage = 'mask'`,
    [accountId, answers],
  );
}
