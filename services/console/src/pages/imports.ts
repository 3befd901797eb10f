import type { RecordIssue, ImportRecord, Leaver } from '@survey/rpc/gen/survey/common/v1/import_outcome.ts';
import type {
  CodeCount,
  ImportSummary,
  ListLeavingResponse,
  SharedValue,
  ShowImportResponse,
} from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  errorSummary,
  figures,
  foot,
  form,
  head,
  note,
  panel,
  section,
  select,
  table,
  tag,
  textField,
  type Column,
  type FieldErrors,
  type Mark,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, importTag, isTyped, optional, rejection, stepUpNeeded, UUID } from './common.ts';

const PAGE = 50;
const CSV_PAGE = 5_000;
const STATES = ['applied', 'cancelled', 'failed', 'accepted'] as const;
const OUTCOMES = ['skipped', 'warning', 'created', 'updated', 'reactivated', 'unchanged'] as const;
const OUTCOME_MARKS: Readonly<Record<string, Mark>> = { skipped: 'warn' };

export async function getImports(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query } = visit;
  const { imports: t } = texts;
  const state = STATES.find((each) => each === query.get('state'));
  const withSkipped = query.get('skipped') === '1';
  const given = query.get('before') ?? '';
  const before = UUID.test(given) ? given : undefined;
  const { imports, total } = await visit.admin.listImports({ limit: PAGE, before, state, with_skipped: withSkipped });
  const choices = [{ value: '', text: t.everyState }, ...STATES.map((value) => ({ value, text: t.states[value] }))];
  const older =
    imports.length === PAGE
      ? new URLSearchParams({ state: state ?? '', skipped: withSkipped ? '1' : '', before: imports.at(-1)?.import_uuid ?? '' })
      : undefined;
  const body = html`${head(t.title, { lead: t.lead, actions: html`<a class="btn" href="${at(visit, '/dry-run')}">${texts.nav.dryRun}</a>` })}
  ${panel(
    html`<form class="bar" role="search" aria-label="${t.title}">
      <label class="sr" for="state">${t.state}</label>${select('state', state ?? '', choices)}<label class="check"
        ><input type="checkbox" name="skipped" value="1" ${withSkipped ? html` checked` : none} />
        <span>${t.withSkipped}</span></label
      ><button>${texts.common.search}</button>
    </form>`,
    latestImports(visit, imports),
    html`<div class="tfoot">
      <span>${t.shown(format.number(imports.length), format.number(total))}</span
      >${older && html`<a href="?${older.toString()}">${texts.common.older}</a>`}
    </div>`,
  )}`;
  return { page: { title: t.title, section: 'imports', body } };
}

/** Renders the table of imports, newest first. */
export function latestImports(visit: AccountVisit, imports: readonly ImportSummary[]): Html {
  const { texts, format } = visit;
  const { imports: t, counts } = texts;
  const count = (
    title: string,
    name: 'created' | 'updated' | 'offboarded' | 'skipped',
    isOptional = false,
  ): Column<ImportSummary> => ({
    title,
    isNumber: true,
    isOptional,
    cell: (each) => (each.state === 'applied' ? format.number(each.counts?.[name] ?? 0) : '–'),
  });
  return table<ImportSummary>(
    t.title,
    [
      {
        title: t.accepted,
        cell: (each) => html`<a href="${at(visit, `/imports/${each.import_uuid}`)}">${format.time(each.accepted_at)}</a>`,
      },
      {
        title: t.state,
        cell: (each) =>
          html`${importTag(visit, each)}${each.can_allow_deletes === true && html`<br /><span class="small bad">${t.needsDecision}</span>`}`,
      },
      { title: t.sent, isNumber: true, isOptional: true, cell: (each) => format.number(each.employees_total) },
      count(counts.created, 'created', true),
      count(counts.updated, 'updated', true),
      count(counts.offboarded, 'offboarded'),
      count(counts.skipped, 'skipped'),
      {
        title: t.took,
        isNumber: true,
        isOptional: true,
        cell: (each) => (each.finished_at == null ? '–' : format.took(each.accepted_at, each.finished_at)),
      },
    ],
    imports,
    t.none,
  );
}

interface Typed {
  readonly errors?: FieldErrors;
}

const uuidOf = ({ params }: AccountVisit): string => {
  const uuid = params['import'] ?? '';
  if (!UUID.test(uuid)) throw notFoundPage();
  return uuid;
};

export async function getImport(visit: AccountVisit, { errors = {} }: Typed = {}): Promise<Reply> {
  const { texts, format, query } = visit;
  const { imports: t } = texts;
  const import_uuid = uuidOf(visit);
  const filters = await startingFilters(visit, import_uuid);
  const after = Number(query.get('after') ?? '') || undefined;
  const shown = await visit.admin.showImport({ import_uuid, records_limit: PAGE, records_after: after, ...filters });
  const { summary } = shown;
  if (summary == null) throw notFoundPage();
  const title = t.importOf(format.time(summary.accepted_at));
  const isRunning = summary.state === 'accepted';
  const body = html`${head(title, { lead: lead(visit, summary), crumb: { path: at(visit, '/imports'), text: t.title }, ...(!isRunning && { actions: html`<a class="btn" href="${at(visit, `/imports/${import_uuid}/records.csv`)}">${texts.common.csv}</a>` }) })}
  ${errorSummary(visit, errors)}${doneNote(visit)} ${isRunning ? progress(visit, summary) : none}
  ${await ending(visit, summary, errors)} ${summary.state === 'applied' ? counts(visit, summary) : none}
  ${summary.state === 'applied' ? records(visit, shown, filters) : none} ${references(visit, summary)}`;
  return {
    page: {
      title,
      section: 'imports',
      status: Object.keys(errors).length > 0 ? 422 : 200,
      body,
      ...(isRunning && { reloadSeconds: 5 }),
    },
  };
}

// Skipped records are the default filter when there are any.
async function startingFilters(visit: AccountVisit, import_uuid: string): Promise<Filters> {
  const filters = filtersOf(visit.query);
  if (visit.query.has('outcome') || filters.code !== undefined || filters.search !== undefined) return filters;
  const { summary } = await visit.admin.showImport({ import_uuid, records_limit: 0 });
  return { ...filters, outcome: (summary?.counts?.skipped ?? 0) > 0 ? 'skipped' : undefined };
}

interface Filters {
  readonly outcome: string | undefined;
  readonly code: string | undefined;
  readonly search: string | undefined;
}

function filtersOf(query: URLSearchParams): Filters {
  const outcome = OUTCOMES.find((each) => each === query.get('outcome'));
  const code = query.get('code') ?? '';
  return { outcome, code: /^[a-z_]{1,60}$/.test(code) ? code : undefined, search: query.get('q')?.trim() || undefined };
}

function lead(visit: AccountVisit, summary: ImportSummary): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const took = summary.finished_at == null ? none : html` ${t.after(format.took(summary.accepted_at, summary.finished_at))}`;
  const skipped = summary.counts?.skipped ?? 0;
  const more =
    summary.state === 'applied'
      ? skipped > 0
        ? t.someSkipped(skipped, format.number(skipped))
        : ''
      : summary.state === 'accepted'
        ? ''
        : t.nothingChanged;
  const from =
    summary.rerun_of == null ? none : html` <a href="${at(visit, `/imports/${summary.rerun_of}`)}">${t.releasedFrom}</a>`;
  return html`${importTag(visit, summary)}${took} ${more}${from}`;
}

/** Renders the progress of the import; with script it refreshes every two seconds. */
function progress(visit: AccountVisit, { import_uuid, employees_total }: ImportSummary): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const path = at(visit, `/imports/${import_uuid}/progress`);
  return html`<div id="progress" class="panel pad" aria-live="polite" hx-get="${path}" hx-trigger="every 2s" hx-swap="outerHTML">
    <p><b>${t.running}</b></p>
    <p class="muted">
      ${t.runningText(format.number(employees_total))} <a href="${at(visit, `/imports/${import_uuid}`)}">${t.showNow}</a>
    </p>
  </div>`;
}

export async function getProgress(visit: AccountVisit): Promise<Reply> {
  const { summary } = await visit.admin.showImport({ import_uuid: uuidOf(visit), records_limit: 0 });
  if (summary == null) throw notFoundPage();
  // The import has ended: reload the whole page.
  return { fragment: progress(visit, summary), ...(summary.state !== 'accepted' && { headers: { 'HX-Refresh': 'true' } }) };
}

async function ending(visit: AccountVisit, summary: ImportSummary, errors: FieldErrors): Promise<Html> {
  const { texts } = visit;
  const { imports: t } = texts;
  if (summary.state === 'failed') return note('bad', t.failed, html`<p>${t.failedText}</p>`, { isAlert: true });
  if (summary.state !== 'cancelled') return none;
  if (summary.would_offboard != null && summary.would_offboard > 0 && summary.managed != null)
    return threshold(visit, summary, errors);
  const reasons = html`<ul>
      ${summary.cancel_reasons.map((reason) => html`<li lang="en">${reason}</li>`)}
    </ul>
    <p>${t.cancelledText}</p>`;
  return note('bad', t.cancelled, reasons, { isAlert: true });
}

/**
 * For imports cancelled only by the deletion threshold: the employees to offboard, their common
 * values, and the decision.
 */
async function threshold(visit: AccountVisit, summary: ImportSummary, errors: FieldErrors): Promise<Html> {
  const { texts, format, query } = visit;
  const { imports: t } = texts;
  const { import_uuid, deletion_threshold, rerun_of: _from } = summary;
  const [leaving, managed] = [summary.would_offboard ?? 0, summary.managed ?? 0];
  const search = query.get('leaving')?.trim() || undefined;
  const after = Number(query.get('leaving_after') ?? '') || undefined;
  const found = await optional(visit.admin.listLeaving({ import_uuid, search, after, limit: 20 }));
  const atMost = Math.floor((managed * Number(deletion_threshold)) / 100);
  const title = t.wouldOffboard(format.number(leaving), format.number(managed), format.percent(leaving / managed));
  const text = html`<p>${t.thresholdIs(format.percentText(deletion_threshold ?? ''), format.number(atMost))}</p>`;
  return html`${note('bad', title, text, { isAlert: true })}
  ${found === undefined ? html`<p class="panel pad block muted">${texts.common.sectionUnavailable}</p>` : html`<div class="cols block">${leavers(visit, summary, found, search)}${common(visit, found.shared)}</div>`}
  ${summary.can_allow_deletes === true ? allowForm(visit, summary, leaving, errors) : section(t.ifLeft, panel(html`<p class="pad muted">${t.tooLate}</p>`))}
  ${section(t.ifNotLeft, html`<p>${t.ifNotLeftText} <a href="${at(visit, '/dry-run')}">${texts.nav.dryRun}</a></p>`)}`;
}

function leavers(
  visit: AccountVisit,
  { import_uuid }: ImportSummary,
  { leaving, total }: ListLeavingResponse,
  search: string | undefined,
): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const names = [...new Set(leaving.flatMap(({ attributes }) => Object.keys(attributes)))].slice(0, 2);
  const last = leaving.at(-1)?.employee_id;
  const next =
    leaving.length === 20 && last !== undefined
      ? new URLSearchParams({ leaving: search ?? '', leaving_after: String(last) })
      : undefined;
  const columns: Column<Leaver>[] = [
    { title: 'import_id', cell: ({ import_id }) => html`<span class="mono">${import_id ?? ''}</span>` },
    { title: t.name, isOptional: true, cell: ({ name }) => name },
    ...names.map((name): Column<Leaver> => ({ title: name, cell: ({ attributes }) => attributes[name] ?? '' })),
  ];
  return section(
    t.whoWouldLeave,
    panel(
      html`<form class="bar" role="search" aria-label="${t.whoWouldLeave}">
        <label class="sr" for="leaving">${t.searchPeople}</label
        ><input id="leaving" type="search" name="leaving" value="${search ?? ''}" placeholder="${t.searchPeople}" /><button>
          ${texts.common.search}
        </button>
      </form>`,
      table(t.whoWouldLeave, columns, leaving, t.noRecords),
      html`<div class="tfoot">
        <span>${texts.common.of(format.number(leaving.length), format.number(total))}</span
        ><span class="row"
          ><a href="${at(visit, `/imports/${import_uuid}/leaving.csv`)}">${texts.common.csv}</a
          >${next && html`<a href="?${next.toString()}#who">${texts.common.next}</a>`}</span
        >
      </div>`,
    ),
    { id: 'who' },
  );
}

function common({ texts, format }: AccountVisit, shared: readonly SharedValue[]): Html {
  const { imports: t } = texts;
  const columns: Column<SharedValue>[] = [
    { title: t.value, cell: ({ attribute, value }) => `${attribute}: ${value}` },
    { title: t.leaving, isNumber: true, cell: ({ leaving }) => format.number(leaving) },
    { title: t.having, isNumber: true, cell: ({ having }) => format.number(having) },
  ];
  // A value that nearly all its employees would lose: probably a site that the export omitted.
  const lost = shared.find(({ leaving, having }) => leaving >= having * 0.8);
  return section(
    t.inCommon,
    panel(
      table(t.inCommon, columns, shared, t.nothingInCommon),
      html`${lost && html`<div class="tfoot"><span>${t.allOf(lost.value)}</span></div>`}`,
    ),
  );
}

function allowForm(
  visit: AccountVisit,
  { import_uuid, deletion_threshold }: ImportSummary,
  leaving: number,
  errors: FieldErrors,
): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const fields = html`${textField('confirm', { label: t.typeNumber(leaving), hint: t.allowText(format.number(leaving), format.percentText(deletion_threshold ?? '')), inputmode: 'numeric', error: errors['confirm'] })}
  ${textField('reason', { label: t.reason, hint: t.reasonHint, value: visit.form.get('reason') ?? '', maxLength: 200, error: errors['reason'] })}
  ${foot(t.allow(format.number(leaving)), { danger: true, cancel: { path: at(visit, '/'), text: t.leaveIt }, aside: t.allowAside })}`;
  return section(t.ifLeft, form(visit, at(visit, `/imports/${import_uuid}/allow`), fields));
}

export async function postAllow(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given } = visit;
  const { imports: t } = texts;
  const import_uuid = uuidOf(visit);
  const { summary } = await visit.admin.showImport({ import_uuid, records_limit: 0 });
  const leaving = summary?.would_offboard ?? 0;
  const reason = (given.get('reason') ?? '').trim();
  const errors: Record<string, string> = {};
  // The stored number, not the one in the form.
  if (!isTyped(visit, String(leaving))) errors['confirm'] = texts.form.notTyped(String(leaving));
  if (reason.length < 3 || reason.length > 200) errors['reason'] = t.reasonError;
  if (Object.keys(errors).length > 0) return getImport(visit, { errors });
  const again = stepUpNeeded(visit, at(visit, `/imports/${import_uuid}`));
  if (again !== undefined) return again;
  try {
    const allowed = await visit.admin.allowDeletes({ import_uuid, expected_offboarded: leaving, reason });
    return { redirect: at(visit, `/imports/${allowed.import_uuid}?done=allowed`) };
  } catch (error) {
    return getImport(visit, { errors: { confirm: rejection(visit, error, { conflict: t.tooLate, not_found: t.tooLate }) } });
  }
}

function counts({ texts, format }: AccountVisit, { counts: given, employees_total }: ImportSummary): Html {
  const names = ['created', 'updated', 'unchanged', 'reactivated', 'offboarded', 'skipped'] as const;
  return figures([
    [texts.imports.sent, format.number(employees_total)],
    ...names.map((name) => [texts.counts[name], format.number(given?.[name] ?? 0)] as const),
  ]);
}

function records(visit: AccountVisit, shown: ShowImportResponse, filters: Filters): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const { summary } = shown;
  if (summary?.records_deleted_at != null)
    return section(t.records, panel(html`<p class="pad muted">${t.deleted(format.day(summary.records_deleted_at))}</p>`));
  const codes = shown.counts_by_code.map(({ code, records: n }) => ({
    value: code,
    text: `${codeText(visit, code)} (${format.number(n)})`,
  }));
  const outcomes = [{ value: '', text: t.everyOutcome }, ...OUTCOMES.map((value) => ({ value, text: t.outcomes[value] }))];
  const path = at(visit, `/imports/${summary?.import_uuid ?? ''}`);
  const last = shown.records.at(-1)?.index;
  const next =
    shown.records.length === PAGE && last !== undefined
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
          >${select('outcome', filters.outcome ?? '', outcomes)}<label class="sr" for="code">${t.reasonOf}</label
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
        { title: t.reasonOf, cell: ({ code }) => html`<a href="?code=${encodeURIComponent(code)}">${codeText(visit, code)}</a>` },
        {
          title: t.effect,
          isOptional: true,
          cell: ({ kind }) => (kind === 'skipped' ? tag('warn', t.outcomes.skipped) : tag('off', t.outcomes.warning)),
        },
        { title: t.people, isNumber: true, cell: ({ records: n }) => format.number(n) },
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
  return table<ImportRecord>(
    t.records,
    [
      {
        title: 'import_id',
        cell: ({ import_id, name }) =>
          html`<span class="mono">${import_id || '–'}</span
            >${name ? html`<br /><span class="muted small">${name}</span>` : none}`,
      },
      { title: t.outcome, cell: ({ outcome }) => tag(OUTCOME_MARKS[outcome] ?? 'on', outcomes[outcome] ?? outcome) },
      {
        title: t.why,
        cell: ({ reasons, warnings }) =>
          html`${[...reasons, ...warnings].map((each) => html`<div>${codeText(visit, each.code, each.detail)}</div>`)}`,
      },
      {
        title: t.where,
        isOptional: true,
        cell: ({ reasons, warnings }) =>
          html`${[...reasons, ...warnings].map(({ pointer }: RecordIssue) => html`<div><code>${pointer}</code></div>`)}`,
      },
    ],
    list,
    t.noRecords,
  );
}

/** Returns the text of a code, or the service's English text for an unknown code. */
export function codeText({ texts }: AccountVisit, code: string, detail = code): string {
  const codes: Readonly<Record<string, string>> = texts.codes;
  return codes[code] ?? detail;
}

function references({ texts, format }: AccountVisit, { import_uuid, accepted_at }: ImportSummary): Html {
  return html`<p class="block muted small">
    ${texts.imports.reference} <span class="mono">${import_uuid}</span>, ${format.time(accepted_at)}
  </p>`;
}

export async function getRecordsCsv(visit: AccountVisit): Promise<Reply> {
  const import_uuid = uuidOf(visit);
  await visit.admin.showImport({ import_uuid, records_limit: 0 });
  await visit.noteAudit(visit.account, 'download', `import/${import_uuid}/records.csv`);
  return { csv: `import-${import_uuid}.csv`, rows: recordRows(visit, import_uuid, filtersOf(visit.query)) };
}

async function* recordRows(visit: AccountVisit, import_uuid: string, filters: Filters): AsyncGenerator<string[]> {
  yield ['index', 'import_id', 'outcome', 'kind', 'code', 'pointer', 'detail'];
  for (let after: number | undefined; ;) {
    const { records: list } = await visit.admin.showImport({
      import_uuid,
      records_limit: CSV_PAGE,
      records_after: after,
      ...filters,
    });
    for (const each of list) yield* rowsOf(each);
    after = list.at(-1)?.index;
    if (list.length < CSV_PAGE) return;
  }
}

/** One row per reason and warning of a record; one row for a record without any. */
export function* rowsOf({ index, import_id, outcome, reasons, warnings }: ImportRecord): Generator<string[]> {
  const start = [String(index), import_id, outcome];
  for (const { code, pointer, detail } of reasons) yield [...start, 'reason', code, pointer, detail];
  for (const { code, pointer, detail } of warnings) yield [...start, 'warning', code, pointer, detail];
  if (reasons.length + warnings.length === 0) yield [...start, '', '', '', ''];
}

export async function getLeavingCsv(visit: AccountVisit): Promise<Reply> {
  const import_uuid = uuidOf(visit);
  await visit.admin.showImport({ import_uuid, records_limit: 0 });
  await visit.noteAudit(visit.account, 'download', `import/${import_uuid}/leaving.csv`);
  return { csv: `leaving-${import_uuid}.csv`, rows: leavingRows(visit, import_uuid) };
}

async function* leavingRows(visit: AccountVisit, import_uuid: string): AsyncGenerator<string[]> {
  yield ['import_id', 'name', 'attributes'];
  for (let after: number | undefined; ;) {
    const { leaving } = await visit.admin.listLeaving({ import_uuid, limit: CSV_PAGE, after });
    for (const { import_id, name, attributes } of leaving)
      yield [
        import_id ?? '',
        name,
        Object.entries(attributes)
          .map(([attribute, value]) => `${attribute}: ${value}`)
          .join('; '),
      ];
    after = leaving.at(-1)?.employee_id;
    if (leaving.length < CSV_PAGE) return;
  }
}
