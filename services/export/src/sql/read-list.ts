import type { Queryable } from '@survey/postgres/database.ts';

/** SQL of a list that is small enough to be counted and walked over. The account is $1, filters are $2 and on. */
export interface List {
  // The rows that match: what stands after `from`.
  readonly matching: string;
  // With the contract's field names in the contract's order.
  readonly fields: string;
  // Total: with a unique tie-breaker.
  readonly order: string;
}

export interface ListPage {
  readonly totalCount: number;
  readonly rows: readonly object[];
}

export interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** A page and the count of all that match. An absent filter is null. Of one moment only in a transaction that sees one (rule LISTS-ENVELOPE-3). */
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
