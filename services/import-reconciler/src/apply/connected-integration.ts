import type { Client } from '@survey/postgres/database.ts';

export interface Integration {
  default_language: string;
  // Percentage as exact decimal text.
  deletion_threshold: string;
  // The same for doubtful identities; null: none.
  identity_threshold: string | null;
  // What becomes of the rights of reactivated employees.
  on_return: 'keep' | 'reset';
  // Current year in UTC by PostgreSQL's clock, which also sets the time of acceptance.
  year: number;
}

/** Returns the current REST API integration; undefined when it is not connected. */
export async function readIntegration(tx: Client, accountId: number): Promise<Integration | undefined> {
  const { rows } = await tx.query<Integration>(
    `select default_language, trim_scale(deletion_threshold)::text as deletion_threshold,
            trim_scale(identity_threshold)::text as identity_threshold, on_return,
            extract(year from clock_timestamp() at time zone 'utc')::int as year
     from admin.integration where account_id = $1 and disconnected_at is null`,
    [accountId],
  );
  return rows[0];
}
