import type { Queryable } from './database.ts';

/** Schemas of the services that have background work. */
export type DueSchema = 'admin' | 'export' | 'imports' | 'scoring' | 'text';

/** Marks work as due, in the transaction that makes it so. Unneeded work costs one check. */
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
  // Id of the claim's own row.
  readonly id: number;
  readonly kind: string;
  readonly accountId: number;
  readonly attempts: number;
}

// Merges all rows of an account and kind into one, which becomes due again if its worker dies. A
// delay after a failure also applies to work that is added later.
const claim = (schema: DueSchema): string => `
with next as (
  select d.kind, d.account_id, row_number() over (partition by d.kind order by min(d.due_at)) as place, s.free
  from ${schema}.due d join unnest($1::text[], $2::integer[]) s (kind, free) using (kind)
  where d.due_at <= now() and not exists (
    select from ${schema}.due b where b.account_id = d.account_id and b.kind = d.kind and b.attempts > 0 and b.due_at > now()
  )
  group by d.kind, d.account_id, s.free
), taken as (
  delete from ${schema}.due d using next n
  where d.kind = n.kind and d.account_id = n.account_id and n.place <= n.free
  returning d.kind, d.account_id, d.attempts
)
insert into ${schema}.due (kind, account_id, due_at, attempts)
select kind, account_id, now() + interval '10 minutes', max(attempts) from taken group by kind, account_id
returning id, kind, account_id as "accountId", attempts`;

/** Claims due work, oldest first, limited by the free slots of its kind. */
export async function claimDue(db: Queryable, schema: DueSchema, freeSlots: ReadonlyMap<string, number>): Promise<ClaimedWork[]> {
  const { rows } = await db.query<ClaimedWork>(claim(schema), [[...freeSlots.keys()], [...freeSlots.values()]]);
  return rows;
}

/** Ends a claim: the work is due again after that time, or never if undefined. */
export async function endClaim(
  db: Queryable,
  schema: DueSchema,
  { id, kind, accountId, attempts }: ClaimedWork,
  againInMs: number | undefined,
): Promise<void> {
  await db.query(
    `with ended as (delete from ${schema}.due where id = $1)
     insert into ${schema}.due (kind, account_id, attempts, due_at)
     select $2::text, $3::bigint, $4::smallint, clock_timestamp() + $5::float8 * interval '1 ms' where $5::float8 is not null`,
    [id, kind, accountId, attempts, againInMs ?? null],
  );
}
