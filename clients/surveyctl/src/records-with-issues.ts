import type { RecordIssue, ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import { renderTable } from './output.ts';

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
