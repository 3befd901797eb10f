import { importReasonText } from '@survey/formats/import-reasons.ts';
import type { ImportSummary, ShowImportResponse } from '@survey/proto/admin/v1/admin.ts';
import type { DryRunOutcome, ImportRecord, RecordIssue } from '@survey/proto/common/v1/import_outcome.ts';
import { CommandError } from './command-error.ts';
import type { AccountAdmin } from './connection.ts';
import { colour, printable, renderFields, renderTable, renderTime } from './output.ts';

interface ImportOutcome {
  summary: ImportSummary;
  records: ImportRecord[];
}

/** Reads an import's outcome with all pages of its records. */
export async function readImport(admin: AccountAdmin, accountId: number, importUuid: string): Promise<ImportOutcome> {
  const request = { account_id: accountId, import_uuid: importUuid };
  const first = await admin.showImport(request);
  const summary = summaryOf(first);
  const { records } = first;
  while (records.length < first.records_total) {
    const page = await admin.showImport({ ...request, records_after: records.at(-1)?.index });
    if (page.records.length === 0) break;
    for (const record of page.records) records.push(record);
  }
  return { summary, records };
}

/** Reads an import's outcome without its records. */
export async function readSummary(admin: AccountAdmin, accountId: number, importUuid: string): Promise<ImportSummary> {
  return summaryOf(await admin.showImport({ account_id: accountId, import_uuid: importUuid, records_limit: 0 }));
}

function summaryOf({ summary }: ShowImportResponse): ImportSummary {
  if (summary === null)
    throw new CommandError('cannot show the import: the response has no summary; check the version of account-admin');
  return summary;
}

/** Renders the outcome for programs. */
export function outcomeJson({ summary, records }: ImportOutcome): object {
  return { ...summaryJson(summary), records };
}

export function summaryJson(summary: ImportSummary): object {
  const { finished_at = null, managed = null, deletion_threshold = null } = summary;
  const { rerun_of = null, sent_by = null, records_kept_until = null, records_deleted_at = null } = summary;
  return { ...summary, finished_at, managed, deletion_threshold, rerun_of, sent_by, records_kept_until, records_deleted_at };
}

export const IMPORT_HEAD = ['IMPORT', 'STATE', 'ACCEPTED', 'FINISHED', 'RECORDS', 'OUTCOME'];

export function renderImportRow(summary: ImportSummary): string[] {
  const { import_uuid, state, accepted_at, finished_at, employees_total } = summary;
  return [import_uuid, state, renderTime(accepted_at), renderTime(finished_at), String(employees_total), renderResult(summary)];
}

/** Renders an import's result in one line: its counts, or why it was cancelled or has failed. */
export function renderResult({ state, counts, reasons }: Pick<ImportSummary, 'state' | 'counts' | 'reasons'>): string {
  if (reasons.length > 0) return reasons.map((reason) => importReasonText(reason, 'en')).join('; ');
  if (state !== 'applied' || counts === null) return '-';
  const changes = Object.entries(counts).filter(([, count]) => count > 0);
  return changes.map(([name, count]) => `${count} ${name}`).join(', ') || 'nothing to do';
}

/** Renders the outcome for people, with only the records that have a reason or a warning. */
export function renderOutcome({ summary, records }: ImportOutcome): string {
  const remarkable = new RecordsWithIssues();
  remarkable.add(records);
  return [renderSummary(summary), ...remarkable.render()].join('\n');
}

export function renderSummary(summary: ImportSummary): string {
  const { import_uuid, accepted_at, finished_at, employees_total } = summary;
  const fields = {
    import: import_uuid,
    accepted: renderTime(accepted_at),
    finished: renderTime(finished_at),
    records: String(employees_total),
    phases: renderPhases(summary),
    ...(typeof summary.sent_by === 'string' ? { key: printable(summary.sent_by) } : {}),
    ...renderThreshold(summary),
    ...renderWarnings(summary),
    ...(summary.deletes_allowed ? { released: 'from the threshold, by an operator' } : {}),
    ...(typeof summary.rerun_of === 'string' ? { snapshot: `of import ${summary.rerun_of}, started again` } : {}),
    ...renderRetention(summary),
  };
  return `${renderHeadline(summary)}\n\n${renderFields(fields)}`;
}

// `client` is the part of the upload in which we waited for the client.
const PHASES = ['client', 'upload', 'wait', 'running', 'plan', 'apply'];

function renderPhases({ phase_ms, attempts }: ImportSummary): string {
  const phases = PHASES.flatMap((phase) =>
    phase in phase_ms ? [`${phase} ${((phase_ms[phase] ?? 0) / 1_000).toFixed(1)} s`] : [],
  );
  return [...phases, ...(attempts > 1 ? [`${attempts} attempts`] : [])].join(', ') || '-';
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

/** Renders a dry run for people, without its records. */
export function renderDryRun(outcome: DryRunOutcome): string {
  const verdict = colour(outcome.state === 'applied' ? 'green' : 'yellow', `would be ${outcome.state}`);
  const fields = { records: String(outcome.employees_total), ...renderThreshold(outcome), ...renderWarnings(outcome) };
  return `${verdict}: ${printable(renderResult(outcome))}\n\n${renderFields(fields)}`;
}

function renderWarnings({ warnings }: Pick<ImportSummary, 'warnings'>): Record<string, string> {
  return warnings.length === 0 ? {} : { warnings: warnings.map((warning) => importReasonText(warning, 'en')).join('; ') };
}

function renderThreshold({ managed, deletion_threshold }: Pick<ImportSummary, 'managed' | 'deletion_threshold'>) {
  return typeof managed === 'number' ? { threshold: `${deletion_threshold ?? '?'} % of ${managed} managed employees` } : {};
}

const LISTED = 50;

/** Collects records that have a reason or a warning: the first ones, and the total number. */
export class RecordsWithIssues {
  readonly #listed: ImportRecord[] = [];
  #total = 0;

  add(records: readonly ImportRecord[]): void {
    for (const record of records) {
      if (record.reasons.length + record.warnings.length === 0) continue;
      this.#total += 1;
      if (this.#listed.length < LISTED) this.#listed.push(record);
    }
  }

  /** Returns paragraphs for people; none without records. */
  render(): string[] {
    const rest = this.#total - this.#listed.length;
    return [
      ...(this.#total === 0 ? [] : ['', renderRecords(this.#listed)]),
      ...(rest > 0 ? ['', `${rest} more with reasons or warnings: --json lists them all.`] : []),
    ];
  }
}

function renderRecords(records: readonly ImportRecord[]): string {
  return renderTable(
    ['INDEX', 'IMPORT_ID', 'OUTCOME', 'WHERE', 'WHAT'],
    records.flatMap(({ index, import_id, outcome, reasons, warnings }) =>
      [...reasons, ...warnings].map((note) => [String(index), import_id, outcome, note.pointer, renderNote(note)]),
    ),
  );
}

function renderNote({ code, detail }: RecordIssue): string {
  return detail === '' ? code : `${detail} (${code})`;
}
