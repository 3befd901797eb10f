import type { Client } from '@survey/postgres/database.ts';
import type { DueSchema } from '@survey/postgres/due.ts';
import type { RejectedFact } from './fact.ts';

/** Owner of dead letters. */
interface DeadLetterOwner {
  accountId: number;
  // Schema of the service that rejects them.
  schema: DueSchema;
  kind: string;
}

/**
 * Stores the positions and reasons of rejected facts, once per fact even if its message is
 * redelivered. The source is part of the key: a recreated stream numbers its messages from 1 again.
 */
export async function saveDeadLetters(tx: Client, owner: DeadLetterOwner, rejected: readonly RejectedFact[]): Promise<void> {
  if (rejected.length === 0) return;
  const places = rejected.map(({ incoming }) => incoming);
  await tx.query(
    `insert into ${owner.schema}.dead_letter (account_id, kind, source, stream_sequence, position, line, reason)
     select $1, $2, * from unnest($3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::text[])
     on conflict (account_id, source, stream_sequence, position) do nothing`,
    [
      owner.accountId,
      owner.kind,
      places.map(({ source }) => source),
      places.map(({ sequence }) => sequence),
      places.map(({ position }) => position),
      places.map(({ line }) => line),
      rejected.map(({ reason }) => reason),
    ],
  );
}
