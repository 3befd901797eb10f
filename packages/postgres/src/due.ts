import type { Queryable } from './database.ts';

/** Schemas of the services that have background work. */
export type DueSchema = 'export' | 'scoring' | 'text';

/** Marks work as due, in the transaction that makes it so. Work that was not needed costs one look. */
export async function markDue(
  db: Queryable,
  schema: DueSchema,
  kind: string,
  accountIds: readonly number[],
  afterMs = 0,
): Promise<void> {
  if (accountIds.length === 0) return;
  await db.query(
    `insert into ${schema}.due (kind, account_id, due_at)
     select $1::text, account_id, clock_timestamp() + $3::float8 * interval '1 ms' from unnest($2::bigint[]) account_id`,
    [kind, accountIds, afterMs],
  );
}

export interface ClaimedWork {
  // Of the claim's own row.
  readonly id: number;
  readonly kind: string;
  readonly accountId: number;
  readonly attempts: number;
}

// All rows of an account and kind become one, which is due again when its worker is lost.
const claim = (schema: DueSchema): string => `
with next as (
  select d.kind, d.account_id, row_number() over (partition by d.kind order by min(d.due_at)) as place, s.free
  from ${schema}.due d join unnest($1::text[], $2::integer[]) s (kind, free) using (kind)
  where d.due_at <= now() group by d.kind, d.account_id, s.free
), taken as (
  delete from ${schema}.due d using next n
  where d.kind = n.kind and d.account_id = n.account_id and d.due_at <= now() and n.place <= n.free
  returning d.kind, d.account_id, d.attempts
)
insert into ${schema}.due (kind, account_id, due_at, attempts)
select kind, account_id, now() + interval '10 minutes', max(attempts) from taken group by kind, account_id
returning id, kind, account_id as "accountId", attempts`;

/** Claims due work, the longest due first, as far as there are free slots for its kind. */
export async function claimDue(db: Queryable, schema: DueSchema, freeSlots: ReadonlyMap<string, number>): Promise<ClaimedWork[]> {
  const { rows } = await db.query<ClaimedWork>(claim(schema), [[...freeSlots.keys()], [...freeSlots.values()]]);
  return rows;
}

/** Ends a claim: the work is due again after that time, or never when it is undefined. */
export async function endClaim(
  db: Queryable,
  schema: DueSchema,
  { id, attempts }: Pick<ClaimedWork, 'id' | 'attempts'>,
  againInMs: number | undefined,
): Promise<void> {
  if (againInMs === undefined) await db.query(`delete from ${schema}.due where id = $1`, [id]);
  else {
    await db.query(
      `update ${schema}.due set due_at = clock_timestamp() + $2::float8 * interval '1 ms', attempts = $3 where id = $1`,
      [id, againInMs, attempts],
    );
  }
}
