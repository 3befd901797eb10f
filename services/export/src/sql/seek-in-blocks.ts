/**
 * SQL of common table expressions that find where a page starts in a list in the order of ids, at about the same price at any depth: they
 * add the counts of ranges of ids instead of walking over rows. `blocks` are the list's counts: level 1 of 2^11 ids each, level 2 of 2^22.
 *
 * total(count) has one row. place(first_id, skip) has one, or none beyond the end: the page starts `skip` rows after `first_id`, which is
 * fewer than 2^11.
 *
 * Both are materialized, and give bounds as columns: behind row-level security PostgreSQL 15 makes no index condition of a bound that is
 * calculated, as an overflow's message would tell values of rows, and read all rows of the account for a page.
 */
export const seekInBlocks = (blocks: string, offset: string): string => `
large as materialized (
  select block << 11 as first_small, (block + 1) << 11 as next_small, count, sum(count) over (order by block) - count as before
  from (${blocks}) b where level = 2
), total as (
  select coalesce(sum(count), 0)::bigint as count from large
), place as materialized (
  select small.block << 11 as first_id, (${offset} - large.before - small.before)::bigint as skip
  from large cross join lateral (
    select block, count, sum(count) over (order by block) - count as before
    from (${blocks}) b where level = 1 and block >= large.first_small and block < large.next_small
  ) small
  where large.before <= ${offset} and ${offset} < large.before + large.count
    and large.before + small.before <= ${offset} and ${offset} < large.before + small.before + small.count
)`;
