import type { Queryable } from '@survey/postgres/database.ts';

/**
 * Builds SQL that formats a timestamptz as RFC 3339 in UTC, with as many digits as its microseconds
 * need, such as 2024-01-31T22:00:00Z or 2024-01-31T22:00:00.5Z. Null is null.
 */
// JSON is ISO 8601 under any DateStyle, unlike a cast to text, and twice as fast as to_char.
export const utc = (timestamp: string): string => `(to_json(${timestamp} at time zone 'utc') #>> '{}') || 'Z'`;

/**
 * SQL of a list small enough to count and scan. $1 is the account; filters are $2 and following.
 */
export interface List {
  // SQL that follows `from`, and selects the list's rows.
  readonly matching: string;
  // The contract's fields in the contract's order.
  readonly fields: string;
  // A total order, with a unique tie-breaker.
  readonly order: string;
}

interface ListPage {
  readonly totalCount: number;
  readonly rows: readonly object[];
}

interface Range {
  readonly limit: number;
  readonly offset: number;
}

/**
 * Returns a page and the count of all matching rows. An absent filter is null. Both are consistent
 * only in a transaction with one database snapshot (rule LISTS-ENVELOPE-3).
 */
export async function readList(
  db: Queryable,
  { matching, fields, order }: List,
  { limit, offset }: Range,
  filters: readonly [accountId: number, ...unknown[]],
): Promise<ListPage> {
  const next = filters.length + 1;
  const counted = await db.query<{ count: number }>(`select count(*) as count from ${matching}`, [...filters]);
  const page = await db.query<object>(
    `select ${fields} from ${matching} order by ${order} limit $${next}::bigint offset $${next + 1}::bigint`,
    [...filters, limit, offset],
  );
  return { totalCount: counted.rows[0]?.count ?? 0, rows: page.rows };
}
