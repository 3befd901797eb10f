/**
 * Builds common table expressions that find the start of a page in a list sorted by id. The cost
 * hardly depends on the offset, because they add the counts of id ranges instead of scanning rows.
 * `blocks` selects these counts: level 1 has 2^11 ids each, level 2 has 2^22.
 *
 * `total(count)` has one row. `page_start(first_id, skip)` has one row, or none beyond the end: the
 * page starts `skip` rows after `first_id`, always fewer than 2^11.
 *
 * Both are materialized and return their limits as columns. Under row-level security PostgreSQL 15
 * derives no index condition from a calculated limit, because an overflow error could reveal row
 * values; it would read all rows of the account.
 */
export const seekInBlocks = (blocks: string, offset: string): string => `
large as materialized (
  select block << 11 as first_small, (block + 1) << 11 as next_small, row_count, sum(row_count) over (order by block) - row_count as before
  from (${blocks}) b where level = 2
), total as (
  select coalesce(sum(row_count), 0)::bigint as count from large
), page_start as materialized (
  select small.block << 11 as first_id, (${offset} - large.before - small.before)::bigint as skip
  from large cross join lateral (
    select block, row_count, sum(row_count) over (order by block) - row_count as before
    from (${blocks}) b where level = 1 and block >= large.first_small and block < large.next_small
  ) small
  where large.before <= ${offset} and ${offset} < large.before + large.row_count
    and large.before + small.before <= ${offset} and ${offset} < large.before + small.before + small.row_count
)`;
