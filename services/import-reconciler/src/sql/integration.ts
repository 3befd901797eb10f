import type { Client } from '@survey/postgres/database.ts';

export interface Integration {
  default_language: string;
  // Exact decimal text, in percent.
  deletion_threshold: string;
  // UTC, by PostgreSQL's clock, which also says when an import was accepted.
  year: number;
}

/** The REST API integration as connected now; undefined when it is not. */
export async function readIntegration(tx: Client, accountId: number): Promise<Integration | undefined> {
  const { rows } = await tx.query<Integration>(
    `select default_language, trim_scale(deletion_threshold)::text as deletion_threshold,
            extract(year from clock_timestamp() at time zone 'utc')::int as year
     from admin.integration where account_id = $1 and disconnected_at is null`,
    [accountId],
  );
  return rows[0];
}
