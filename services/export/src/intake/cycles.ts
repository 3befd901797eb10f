import type { Cycle } from '@survey/rpc/gen/survey/intake/v1/intake.ts';
import type { FactTable } from './fact-table.ts';
import { instant, optionalInstant, positiveId, uuid } from './fields.ts';

/** A row of export.cycle. */
export interface CycleRow {
  id: string;
  survey_id: number;
  opened_at: string;
  closed_at: string | null;
}

export const CYCLES: FactTable<CycleRow> = {
  table: 'export.cycle',
  key: 'id',
  columns: { id: 'uuid', survey_id: 'bigint', opened_at: 'timestamptz', closed_at: 'timestamptz' },
  read: ({ cycle }) => (cycle == null ? undefined : readCycle(cycle)),
};

function readCycle({ id, survey_id, opened_at, closed_at }: Cycle): CycleRow {
  return {
    id: uuid(id, 'id'),
    survey_id: positiveId(survey_id, 'survey_id'),
    opened_at: instant(opened_at, 'opened_at'),
    closed_at: optionalInstant(closed_at, 'closed_at'),
  };
}
