import type { Client } from '@survey/postgres/database.ts';
import type { RejectedFact } from './fact-batch.ts';

/** Whose dead letters they are. */
export interface DeadLetterOwner {
  accountId: number;
  // The schema of the service that rejects them.
  schema: 'export' | 'imports' | 'scoring' | 'text';
  kind: string;
}

/**
 * Stores where facts stand that can never be applied, and why; once, however often their message
 * comes. The source is part of their key: a stream that was made anew counts its messages from 1
 * again.
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
