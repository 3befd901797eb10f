import { recordIssueText, recordReasonText, type ReasonLanguage } from '@survey/formats/import-reasons.ts';
import type { ImportRecord, RecordIssue } from '@survey/proto/common/v1/import_outcome.ts';
import type { CodeCount, ShowImportResponse } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, panel, section, select, table, tag, type Column, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { importUuid } from './import-parts.ts';

export const RECORDS_PAGE = 50;
const CSV_PAGE = 5_000;
const OUTCOMES = ['skipped', 'warning', 'created', 'updated', 'reactivated', 'unchanged'] as const;
const OUTCOME_MARKS: Readonly<Record<string, Mark>> = { skipped: 'warn' };

export interface Filters {
  readonly outcome: string | undefined;
  readonly code: string | undefined;
  readonly search: string | undefined;
}

export function filtersOf(query: URLSearchParams): Filters {
  const outcome = OUTCOMES.find((each) => each === query.get('outcome'));
  const code = query.get('code') ?? '';
  return { outcome, code: /^[a-z_]{1,60}$/.test(code) ? code : undefined, search: query.get('q')?.trim() || undefined };
}

/** Renders the records of an applied import, with reasons, filters and search. */
export function showRecords(visit: AccountVisit, shown: ShowImportResponse, filters: Filters): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const { summary } = shown;
  if (summary?.records_deleted_at != null)
    return section(t.records, panel(html`<p class="pad muted">${t.deleted(format.day(summary.records_deleted_at))}</p>`));
  const codes = shown.counts_by_code.map(({ code, records: n }) => ({
    value: code,
    text: `${recordReasonText(code, visit.language)} (${format.number(n)})`,
  }));
  const outcomes = [{ value: '', text: t.everyOutcome }, ...OUTCOMES.map((value) => ({ value, text: t.outcomes[value] }))];
  const path = at(visit, `/imports/${summary?.import_uuid ?? ''}`);
  const last = shown.records.at(-1)?.index;
  const next =
    shown.records.length === RECORDS_PAGE && last !== undefined
      ? new URLSearchParams({
          outcome: filters.outcome ?? '',
          code: filters.code ?? '',
          q: filters.search ?? '',
          after: String(last),
        })
      : undefined;
  const until = summary?.records_kept_until == null ? '' : t.keptUntil(format.day(summary.records_kept_until));
  return section(
    t.records,
    html`${codeTable(visit, shown.counts_by_code)}
      <div class="panel block">
        <form
          class="bar"
          role="search"
          aria-label="${t.records}"
          action="${path}"
          hx-get="${path}"
          hx-trigger="input changed delay:400ms, change, submit"
          hx-target="#records"
          hx-select="#records"
          hx-swap="outerHTML"
          hx-push-url="true"
        >
          <label class="sr" for="q">${t.searchPeople}</label
          ><input id="q" type="search" name="q" value="${filters.search ?? ''}" placeholder="${t.searchPeople}" /><label
            class="sr"
            for="outcome"
            >${t.outcome}</label
          >${select('outcome', filters.outcome ?? '', outcomes)}<label class="sr" for="code">${t.reason}</label
          >${select('code', filters.code ?? '', [{ value: '', text: t.everyReason }, ...unique(codes)])}<button>
            ${texts.common.search}
          </button>
        </form>
        <div id="records">
          ${recordTable(visit, shown.records)}
          <div class="tfoot">
            <span>${texts.common.of(format.number(shown.records.length), format.number(shown.records_total))}</span
            >${next && html`<a href="?${next.toString()}">${texts.common.next}</a>`}
          </div>
        </div>
      </div>`,
    { aside: until },
  );
}

const unique = <T extends { readonly value: string }>(choices: readonly T[]): T[] => [
  ...new Map(choices.map((each) => [each.value, each])).values(),
];

function codeTable(visit: AccountVisit, codes: readonly CodeCount[]): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  if (codes.length === 0) return none;
  return panel(
    table<CodeCount>(
      t.byReason,
      [
        {
          title: t.reason,
          cell: ({ code }) => html`<a href="?code=${encodeURIComponent(code)}">${recordReasonText(code, visit.language)}</a>`,
        },
        {
          title: t.effect,
          isOptional: true,
          cell: ({ kind }) => (kind === 'skipped' ? tag('warn', t.outcomes.skipped) : tag('off', t.outcomes.warning)),
        },
        { title: t.records, isNumber: true, cell: ({ records: n }) => format.number(n) },
      ],
      codes,
      t.noRecords,
    ),
  );
}

/** Renders the table of records with their outcomes and reasons. */
export function recordTable(visit: AccountVisit, list: readonly ImportRecord[]): Html {
  const { imports: t } = visit.texts;
  const outcomes: Readonly<Record<string, string>> = t.outcomes;
  const fields: Readonly<Record<string, string>> = t.fields;
  const changed: Column<ImportRecord> = {
    title: t.changed,
    cell: ({ changed_fields }) => changed_fields.map((field) => fields[field] ?? field).join(', '),
  };
  const issues: Column<ImportRecord>[] = [
    {
      title: t.why,
      cell: ({ reasons, warnings }) =>
        html`${[...reasons, ...warnings].map((each) => html`<div>${recordIssueText(each, visit.language)}</div>`)}`,
    },
    {
      title: t.where,
      isOptional: true,
      cell: ({ reasons, warnings }) =>
        html`${[...reasons, ...warnings].map(({ pointer }: RecordIssue) => html`<div><code>${pointer}</code></div>`)}`,
    },
  ];
  return table<ImportRecord>(
    t.records,
    [
      {
        title: 'import_id',
        cell: ({ import_id, name }) =>
          html`<span class="mono">${import_id || '–'}</span>${name ? html`<br /><bdi class="muted small">${name}</bdi>` : none}`,
      },
      { title: t.outcome, cell: ({ outcome }) => tag(OUTCOME_MARKS[outcome] ?? 'on', outcomes[outcome] ?? outcome) },
      ...(list.some(({ changed_fields }) => changed_fields.length > 0) ? [changed] : []),
      ...(list.some(({ reasons, warnings }) => reasons.length + warnings.length > 0) ? issues : []),
    ],
    list,
    t.noRecords,
  );
}

export async function getRecordsCsv(visit: AccountVisit): Promise<Reply> {
  const import_uuid = importUuid(visit);
  await visit.admin.showImport({ import_uuid, records_limit: 0 });
  await visit.noteAudit(visit.account, 'download', `import/${import_uuid}/records.csv`);
  return { csv: `import-${import_uuid}.csv`, rows: recordRows(visit, import_uuid, filtersOf(visit.query)) };
}

async function* recordRows(visit: AccountVisit, import_uuid: string, filters: Filters): AsyncGenerator<string[]> {
  yield ['index', 'import_id', 'outcome', 'kind', 'code', 'pointer', 'detail', 'changed_fields'];
  for (let after: number | undefined; ;) {
    const { records: list } = await visit.admin.showImport({
      import_uuid,
      records_limit: CSV_PAGE,
      records_after: after,
      ...filters,
    });
    for (const each of list) yield* rowsOf(each, visit.language);
    after = list.at(-1)?.index;
    if (list.length < CSV_PAGE) return;
  }
}

/** One row per reason and warning of a record; one row for a record without any. */
export function* rowsOf(record: ImportRecord, language: ReasonLanguage): Generator<string[]> {
  const { index, import_id, outcome, reasons, warnings, changed_fields } = record;
  const changed = changed_fields.join(' ');
  const start = [String(index), import_id, outcome];
  const rowOf = (kind: string, issue: RecordIssue): string[] => [
    ...start,
    kind,
    issue.code,
    issue.pointer,
    recordIssueText(issue, language),
    changed,
  ];
  for (const issue of reasons) yield rowOf('reason', issue);
  for (const issue of warnings) yield rowOf('warning', issue);
  if (reasons.length + warnings.length === 0) yield [...start, '', '', '', '', changed];
}
