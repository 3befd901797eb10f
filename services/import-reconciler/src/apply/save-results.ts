import type { Client } from '@survey/postgres/database.ts';
import { RESOLVED } from './resolve-plan.ts';

type Outcome = 'created' | 'updated' | 'unchanged' | 'reactivated' | 'skipped';
/** Number of records by outcome. */
export type Outcomes = Partial<Record<Outcome, number>>;

/**
 * Stores the outcome of each record, except unchanged ones without warnings, and counts them by
 * outcome.
 */
export async function saveResults(tx: Client, accountId: number, importUuid: string): Promise<Outcomes> {
  const { rows } = await tx.query<{ outcome: Outcome; count: number }>(
    `with saved as (
       insert into imports.record_result (account_id, import_uuid, record_index, import_id, outcome, reasons, warnings)
       with said as (
         select index, jsonb_agg(said) filter (where is_reason) as reasons, jsonb_agg(said) filter (where not is_reason) as warnings
         from added_issue, lateral (select jsonb_build_object('pointer', pointer, 'code', code, 'detail', detail) as said) s
         group by index
       ), outcome as (
         select p.index, case when p.reasons::jsonb @> '[{"code": "erased"}]' then null else p.import_id end as import_id,
                case when p.skipped then 'skipped' when p.is_new then 'created' when p.was_deleted then 'reactivated'
                     when cardinality(s.all_changed) > 0 then 'updated' else 'unchanged' end as outcome,
                case when p.reasons is null and n.index is null then '[]'
                     else coalesce(p.reasons::jsonb, '[]') || coalesce(n.reasons, '[]') end as reasons,
                case when p.skipped or p.warnings is null and n.index is null then '[]'
                     else coalesce(p.warnings::jsonb, '[]') || coalesce(n.warnings, '[]') end as warnings
         from planned p left join said n on n.index = p.index
         left join (select index, all_changed from ${RESOLVED} where not is_new) s on s.index = p.index
         union all
         select b.index, b.import_id, case when b.is_changed then 'updated' else 'unchanged' end, '[]', n.warnings
         from affected_record b
         join said n on n.index = b.index
       )
       select $1, $2, index, import_id, outcome, reasons, warnings from outcome
       where outcome <> 'unchanged' or warnings <> '[]'
       returning outcome
     )
     select outcome, count(*) as count from saved group by outcome`,
    [accountId, importUuid],
  );
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}
