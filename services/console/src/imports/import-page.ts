import { importReasonText } from '@survey/formats/import-reasons.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { formPage, integerIn, isReason, rejection } from '../views/form-results.ts';
import { isTyped, stepUpNeeded } from '../sign-in/step-up.ts';
import { importTag, importUuid, timeTaken, warningNote } from './import-parts.ts';
import { html, type Html, none } from '../views/html.ts';
import { at, type FieldErrors, figures, note } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { readLeavers, showCancelled, showLeavers } from './cancelled-import.ts';
import { type Filters, filtersOf, RECORDS_PAGE, showRecords } from './import-records.ts';

export async function getImport(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format, query } = visit;
  const { imports: t } = texts;
  const import_uuid = importUuid(visit);
  const filters = await startingFilters(visit, import_uuid);
  const after = integerIn(query, 'after');
  const shown = await visit.admin.showImport({ import_uuid, records_limit: RECORDS_PAGE, records_after: after, ...filters });
  const { summary } = shown;
  if (summary == null) throw notFoundPage();
  const title = t.importOf(format.time(summary.accepted_at));
  const isRunning = summary.state === 'accepted';
  const body = html`${isRunning ? progress(visit, summary) : none} ${await outcomeOf(visit, summary, errors)}
  ${warningNote(visit, summary.warnings)} ${summary.state === 'applied' ? counts(visit, summary) : none}
  ${summary.state === 'applied' ? showRecords(visit, shown, filters) : none} ${await leaversOf(visit, summary)}
  ${references(visit, summary)}`;
  const options = {
    section: 'imports',
    lead: leadOf(visit, summary),
    crumb: { path: at(visit, '/imports'), text: t.title },
    errors,
    ...(isRunning
      ? { reloadSeconds: 5 }
      : { actions: html`<a class="btn" href="${at(visit, `/imports/${import_uuid}/records.csv`)}">${texts.common.csv}</a>` }),
  };
  return formPage(visit, title, options, body);
}

// What needs a look comes first: skipped records, else those with warnings, else the changed ones.
async function startingFilters(visit: AccountVisit, import_uuid: string): Promise<Filters> {
  const filters = filtersOf(visit.query);
  if (visit.query.has('outcome') || filters.code !== undefined || filters.search !== undefined) return filters;
  const { summary, counts_by_code: codes } = await visit.admin.showImport({ import_uuid, records_limit: 0 });
  const { skipped = 0, updated = 0 } = summary?.counts ?? {};
  const hasWarnings = codes.some(({ kind }) => kind === 'warning');
  return { ...filters, outcome: skipped > 0 ? 'skipped' : hasWarnings ? 'warning' : updated > 0 ? 'updated' : undefined };
}

function leadOf(visit: AccountVisit, summary: ImportSummary): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const took = summary.finished_at == null ? none : html` ${t.after(timeTaken(visit, summary))}`;
  const skipped = summary.counts?.skipped ?? 0;
  const effect =
    summary.state === 'applied'
      ? skipped > 0
        ? t.someSkipped(skipped, format.number(skipped))
        : ''
      : summary.state === 'accepted'
        ? ''
        : t.nothingChanged;
  const from =
    summary.rerun_of == null ? none : html` <a href="${at(visit, `/imports/${summary.rerun_of}`)}">${t.releasedFrom}</a>`;
  const by = summary.sent_by == null ? none : html` ${t.sentBy(summary.sent_by)}`;
  return html`${importTag(visit, summary)}${took} ${effect}${from}${by}`;
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
  const { summary } = await visit.admin.showImport({ import_uuid: importUuid(visit), records_limit: 0 });
  if (summary == null) throw notFoundPage();
  // The import has ended: reload the whole page.
  return { fragment: progress(visit, summary), ...(summary.state !== 'accepted' && { headers: { 'HX-Refresh': 'true' } }) };
}

async function outcomeOf(visit: AccountVisit, summary: ImportSummary, errors: FieldErrors): Promise<Html> {
  const { texts } = visit;
  const { imports: t } = texts;
  if (summary.state !== 'cancelled' && summary.state !== 'failed') return none;
  const isForDeletes = summary.reasons.every(({ code }) => code === 'deletion_threshold');
  if (isForDeletes && summary.would_offboard != null && summary.would_offboard > 0 && summary.managed != null)
    return showCancelled(visit, summary, errors);
  const [title, text] = summary.state === 'failed' ? [t.failed, t.failedText] : [t.cancelled, t.cancelledText];
  const reasons = html`<ul>
      ${summary.reasons.map((reason) => html`<li>${importReasonText(reason, visit.language)}</li>`)}
    </ul>
    <p>${text}</p>`;
  return note('bad', title, reasons, { isAlert: true });
}

async function leaversOf(visit: AccountVisit, summary: ImportSummary): Promise<Html> {
  if (summary.state !== 'applied' || !summary.counts?.offboarded) return none;
  return showLeavers(visit, summary, visit.texts.counts.offboarded, await readLeavers(visit, summary));
}

// A count leads to its records; records of employees that did not change are not stored.
function counts({ texts, format }: AccountVisit, { counts: stored, employees_total }: ImportSummary): Html {
  const names = ['created', 'updated', 'unchanged', 'reactivated', 'offboarded', 'skipped'] as const;
  const shown = (name: (typeof names)[number]): Html | string => {
    const count = format.number(stored?.[name] ?? 0);
    if (name === 'unchanged' || count === '0') return count;
    return html`<a href="${name === 'offboarded' ? '#who' : `?outcome=${name}#records`}">${count}</a>`;
  };
  return figures([
    [texts.imports.sent, format.number(employees_total)],
    ...names.map((name) => [texts.counts[name], shown(name)] as const),
  ]);
}

function references({ texts, format }: AccountVisit, { import_uuid, accepted_at }: ImportSummary): Html {
  return html`<p class="block muted small">
    ${texts.imports.reference} <span class="mono">${import_uuid}</span>, ${format.utc(accepted_at)}
  </p>`;
}

export async function postAllow(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { imports: t } = texts;
  const import_uuid = importUuid(visit);
  const { summary } = await visit.admin.showImport({ import_uuid, records_limit: 0 });
  const offboarded = summary?.would_offboard ?? 0;
  const reason = (typed.get('reason') ?? '').trim();
  const errors: Record<string, string> = {};
  // The stored number, not the one in the form.
  if (!(await isTyped(visit, String(offboarded)))) errors['confirm'] = texts.form.notTyped(String(offboarded));
  if (!isReason(reason)) errors['reason'] = texts.form.reasonError;
  if (Object.keys(errors).length > 0) return getImport(visit, errors);
  const again = await stepUpNeeded(visit, at(visit, `/imports/${import_uuid}`));
  if (again !== undefined) return again;
  try {
    const allowed = await visit.admin.allowDeletes({ import_uuid, expected_offboarded: offboarded, reason });
    return { redirect: at(visit, `/imports/${allowed.import_uuid}?done=allowed`) };
  } catch (error) {
    return getImport(visit, { confirm: rejection(visit, error, { conflict: t.tooLate, not_found: t.tooLate }) });
  }
}
