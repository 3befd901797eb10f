import type { List } from './read-list.ts';
import { utc } from './utc.ts';

/**
 * Survey cycle (docs/rules/resources.md). $2: survey. A cycle is not listed until its survey
 * exists, whose time zone it shows.
 */
export const SURVEY_CYCLES: List = {
  matching: `export.cycle c
    join export.survey s on s.account_id = c.account_id and s.id = c.survey_id
    where c.account_id = $1::bigint and ($2::bigint is null or c.survey_id = $2::bigint)`,
  fields: `c.id, c.survey_id, ${utc('c.opened_at')} as opened_at, ${utc('c.closed_at')} as closed_at, s.timezone`,
  order: 'c.opened_at desc, c.id',
};
