import type { Pool } from '@survey/postgres/database.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import { hasBadIds } from './import-model.ts';
import type { ImportOutcome } from './organisation.ts';

interface Said {
  readonly pointer: string;
  readonly code: string;
}

interface Ended {
  readonly state: string;
  readonly reasons: readonly { readonly code: string }[];
  readonly managed: number;
  readonly warnings: readonly { readonly code: string; readonly count?: number | null | undefined }[];
  readonly counts: Record<string, number>;
  readonly records: readonly {
    readonly index: number;
    readonly import_id: string;
    readonly outcome: string;
    readonly reasons: readonly Said[];
    readonly warnings: readonly Said[];
  }[];
}

/** The outcome of an import, in the model's terms. */
export async function readOutcome(db: Pool, accountId: number, importUuid: string): Promise<ImportOutcome> {
  const { rows } = await db.query<Ended>(
    `select i.state, i.reasons, i.managed, i.warnings,
            jsonb_build_object('created', created, 'updated', updated, 'unchanged', unchanged, 'reactivated', reactivated,
                               'skipped', skipped, 'offboarded', offboarded) as counts,
            coalesce((select jsonb_agg(to_jsonb(r) || jsonb_build_object('index', r.record_index) order by r.record_index) from imports.record_result r
                      where r.account_id = i.account_id and r.import_uuid = i.import_uuid), '[]') as records
     from imports.import i where i.account_id = $1 and i.import_uuid = $2`,
    [accountId, importUuid],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the import is gone');
  return inWords(row);
}

/** The outcome of a dry run, in the same terms. */
export function triedOutcome(told: readonly DryRunPart[]): ImportOutcome {
  const outcome = told.find((part) => part.outcome != null)?.outcome;
  if (outcome?.counts == null || outcome.managed == null) throw new Error('the dry run has told no outcome');
  const { state, reasons, managed, counts, warnings } = outcome;
  return inWords({
    state,
    reasons,
    managed,
    warnings,
    counts: { ...counts },
    records: told.flatMap((part) => part.records?.records ?? []),
  });
}

function inWords({ state, reasons, counts, managed, warnings, records }: Ended): ImportOutcome {
  const codes = reasons.map(({ code }) => code);
  const isBad = hasBadIds(codes);
  const said = (all: readonly Said[]): string[] => all.map(({ code, pointer }) => `${code} ${pointer}`).sort();
  return {
    state,
    cancelled: codes.filter((code) => !isBad || code !== 'identity_threshold').sort(),
    remarks: isBad ? [] : warnings.map(({ code, count }) => (count == null ? code : `${code} ${count}`)).sort(),
    counts,
    managed,
    records: records.map(({ index, import_id, outcome, reasons, warnings }) => ({
      index,
      import_id,
      outcome,
      reasons: said(reasons),
      warnings: said(warnings),
    })),
  };
}
