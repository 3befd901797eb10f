import type { Client } from '@survey/postgres/database.ts';
import type { RejectedFact } from './fact-batch.ts';

/** Where facts came from. */
export interface Origin {
  accountId: number;
  source: string;
  // The schema of the service whose dead letters they become.
  schema: 'export' | 'imports' | 'scoring' | 'text';
  kind: string;
  // Of the message in its stream.
  sequence: number;
}

/** Keeps where facts stand that can never be applied, and why; once, however often their message comes. */
export async function saveDeadLetters(tx: Client, origin: Origin, rejected: readonly RejectedFact[]): Promise<void> {
  if (rejected.length === 0) return;
  await tx.query(
    `insert into ${origin.schema}.dead_letter (account_id, stream_sequence, kind, source, position, line, reason)
     select $1, $2, $3, $4, * from unnest($5::int[], $6::bigint[], $7::text[])
     on conflict (account_id, stream_sequence, position) do nothing`,
    [
      origin.accountId,
      origin.sequence,
      origin.kind,
      origin.source,
      rejected.map(({ incoming: { position } }) => position),
      rejected.map(({ incoming: { line } }) => line),
      rejected.map(({ reason }) => reason),
    ],
  );
}
