import type { ImportNote, ImportRecord, ImportSummary } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import type { ImportOutcome } from './import-outcome.ts';
import { colour, printable, renderFields, renderTable, renderTime } from './output.ts';

const LISTED_RECORDS = 50;

/** The outcome as programs read it. */
export function outcomeJson({ summary, records }: ImportOutcome): object {
  return { ...summaryJson(summary), records };
}

export function summaryJson({ import_uuid, state, counts, cancel_reasons, ...more }: ImportSummary): object {
  return {
    import_uuid,
    state,
    counts,
    cancel_reasons,
    deletes_allowed: more.deletes_allowed,
    released_from: more.released_from ?? null,
    records_kept_until: more.records_kept_until ?? null,
    records_deleted_at: more.records_deleted_at ?? null,
  };
}

export const IMPORT_HEAD = ['IMPORT', 'STATE', 'ACCEPTED', 'FINISHED', 'RECORDS', 'OUTCOME'];

export function renderImportRow(summary: ImportSummary): string[] {
  const { import_uuid, state, accepted_at, finished_at, employees_total } = summary;
  return [import_uuid, state, renderTime(accepted_at), renderTime(finished_at), String(employees_total), renderResult(summary)];
}

/** What an import did, in one line: its counts, or why it was cancelled. */
export function renderResult({ state, counts, cancel_reasons }: ImportSummary): string {
  if (state === 'cancelled') return cancel_reasons.join('; ');
  if (state !== 'applied' || counts === null) return '-';
  const done = Object.entries(counts).filter(([, count]) => count > 0);
  return done.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing to do';
}

/** The outcome as people read it: of the records, those that carry a reason or a warning. */
export function renderOutcome({ summary, records }: ImportOutcome): string {
  const remarkable = records.filter(({ reasons, warnings }) => reasons.length + warnings.length > 0);
  const rest = remarkable.length - LISTED_RECORDS;
  return [
    renderSummary(summary),
    ...(remarkable.length === 0 ? [] : ['', renderRecords(remarkable.slice(0, LISTED_RECORDS))]),
    ...(rest > 0 ? ['', `${rest} more with reasons or warnings: --json lists them all.`] : []),
  ].join('\n');
}

export function renderSummary(summary: ImportSummary): string {
  const { import_uuid, accepted_at, finished_at, employees_total, managed, deletion_threshold } = summary;
  const fields = {
    import: import_uuid,
    accepted: renderTime(accepted_at),
    finished: renderTime(finished_at),
    records: String(employees_total),
    ...(typeof managed === 'number' ? { threshold: `${deletion_threshold ?? '?'} % of ${managed} managed employees` } : {}),
    ...(summary.deletes_allowed ? { released: 'from the threshold, by an operator' } : {}),
    ...(typeof summary.released_from === 'string' ? { snapshot: `of import ${summary.released_from}, started again` } : {}),
    ...renderRetention(summary),
  };
  return `${renderHeadline(summary)}\n\n${renderFields(fields)}`;
}

function renderRetention({ records_kept_until, records_deleted_at }: ImportSummary): Record<string, string> {
  if (typeof records_deleted_at === 'string')
    return { outcomes: `of the records were deleted on ${renderTime(records_deleted_at)}` };
  return typeof records_kept_until === 'string'
    ? { outcomes: `of the records are kept until ${renderTime(records_kept_until)}` }
    : {};
}

function renderHeadline(summary: ImportSummary): string {
  const { state } = summary;
  const style = state === 'applied' ? 'green' : state === 'failed' ? 'red' : 'yellow';
  const result = renderResult(summary);
  return colour(style, state) + (result === '-' ? '' : `: ${printable(result)}`);
}

function renderRecords(records: readonly ImportRecord[]): string {
  return renderTable(
    ['INDEX', 'IMPORT_ID', 'OUTCOME', 'WHERE', 'WHAT'],
    records.flatMap(({ index, import_id, outcome, reasons, warnings }) =>
      [...reasons, ...warnings].map((note) => [String(index), import_id, outcome, note.pointer, renderNote(note)]),
    ),
  );
}

function renderNote({ code, detail }: ImportNote): string {
  return detail === '' ? code : `${detail} (${code})`;
}
