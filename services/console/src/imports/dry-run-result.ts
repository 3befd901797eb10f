import { importReasonText, type ReasonLanguage } from '@survey/formats/import-reasons.ts';
import { percentNextTo } from '@survey/formats/percent.ts';
import type { CheckedSnapshot, DryRunOutcome, DryRunPart, ImportRecord } from '@survey/proto/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/proto/admin/v1/admin.ts';
import { z } from 'zod';
import { notFoundPage, PageError } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, figures, head, note, section, select, table } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import type { CsvSnapshot } from './csv-snapshot.ts';
import { recordTable, rowsOf } from './import-records.ts';
import { warningNote } from './import-parts.ts';

const DEADLINE_MS = 300_000;
// Upload and check, then the run, and a reserve.
export const MAX_RUN_SECONDS = (2 * DEADLINE_MS) / 1_000 + 60;
export const RETENTION_SECONDS = 3_600;
// Records of each outcome on the page, which has no further pages. The CSV has all records.
const MAX_KEPT = 100;
const GROUPS = ['attention', 'skipped', 'created', 'updated', 'reactivated', 'offboarded'] as const;

const offboardedEmployee = z.object({ import_id: z.string().nullish(), name: z.string() });
// Bounded: MAX_KEPT of each outcome, written by the console itself.
const result = z.object({
  accountId: z.number(),
  name: z.string(),
  at: z.string(),
  outcome: z.custom<DryRunOutcome>((value) => typeof value === 'object' && value !== null),
  records: z.array(z.custom<ImportRecord>((value) => typeof value === 'object' && value !== null)),
  offboarded: z.array(offboardedEmployee),
  offboardedTotal: z.number(),
  isCut: z.boolean(),
  // Then reasons name lines.
  isCsv: z.boolean().optional(),
});
type Result = z.infer<typeof result>;

// Bound to the session: no other session can open the result, even with its URL.
export const keptName = ({ session, account }: AccountVisit, id: string): string =>
  `dry-run ${session.formSecret} ${account.id} ${id}`;

/** Sends the file for validation as it arrives. */
export async function check(
  visit: AccountVisit,
  file: AsyncIterable<Buffer>,
  content_encoding: string,
): Promise<CheckedSnapshot> {
  const { services, account } = visit;
  const options = { caller: visit.caller(), deadlineMs: DEADLINE_MS };
  return services.admin.checkSnapshot(messages(account.id, content_encoding, file), options);
}

async function* messages(
  account_id: number,
  content_encoding: string,
  file: AsyncIterable<Buffer>,
): AsyncGenerator<CheckSnapshotRequest> {
  yield { head: { account_id, content_encoding } };
  for await (const chunk of file) yield { chunk };
}

/** Runs the dry run; returns its results as they come. */
export function parts(visit: AccountVisit, snapshot: CheckedSnapshot): AsyncIterable<DryRunPart> {
  const options = { caller: visit.caller(), deadlineMs: DEADLINE_MS };
  return visit.services.admin.dryRunImport({ account_id: visit.account.id, snapshot }, options);
}

/** Names the lines of a CSV file instead of places in the body that was made of it. */
export async function* inLines(
  { texts: { dryRun: t }, format }: AccountVisit,
  csv: CsvSnapshot,
  from: AsyncIterable<DryRunPart>,
): AsyncGenerator<DryRunPart> {
  for await (const part of from) {
    for (const { reasons, warnings } of part.records?.records ?? [])
      for (const issue of [...reasons, ...warnings]) {
        const { line, column = '' } = csv.placeOf(issue.pointer);
        if (line !== undefined) issue.pointer = `${t.line(format.number(line))} ${column}`.trim();
      }
    for (const reason of part.outcome?.reasons ?? [])
      reason.records = reason.records.map((index) => csv.placeOf(`/employees/${index}`).line ?? 0);
    yield part;
  }
}

// Keeps all counts, and the first records of each outcome.
export async function collect(
  visit: AccountVisit,
  { name, isCsv }: { readonly name: string; readonly isCsv: boolean },
  from: AsyncIterable<DryRunPart>,
): Promise<Result> {
  const recordCounts = new Map<string, number>();
  const collected: Omit<Result, 'outcome'> & { outcome?: DryRunOutcome } = {
    accountId: visit.account.id,
    name,
    at: new Date().toISOString(),
    records: [],
    offboarded: [],
    offboardedTotal: 0,
    isCut: false,
    isCsv,
  };
  for await (const part of from) {
    if (part.outcome != null) collected.outcome = part.outcome;
    for (const record of part.records?.records ?? []) {
      const kind = record.outcome !== 'skipped' && record.warnings.length > 0 ? 'warning' : record.outcome;
      const count = (recordCounts.get(kind) ?? 0) + 1;
      recordCounts.set(kind, count);
      if (count <= MAX_KEPT) collected.records.push(record);
      else collected.isCut = true;
    }
    for (const { import_id, name: person } of part.offboarded?.employees ?? []) {
      collected.offboardedTotal += 1;
      if (collected.offboardedTotal <= MAX_KEPT) collected.offboarded.push({ import_id, name: person });
      else collected.isCut = true;
    }
  }
  if (collected.outcome === undefined) throw new PageError(503, 'unavailable');
  return { ...collected, outcome: collected.outcome };
}

export async function* csvRows(from: AsyncIterable<DryRunPart>, language: ReasonLanguage): AsyncGenerator<string[]> {
  yield ['index', 'import_id', 'outcome', 'kind', 'code', 'pointer', 'detail'];
  for await (const part of from) {
    for (const record of part.records?.records ?? []) yield* rowsOf(record, language);
    for (const { import_id } of part.offboarded?.employees ?? []) yield ['', import_id ?? '', 'offboarded', '', '', '', ''];
  }
}

export async function getDryRunResult(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query, params } = visit;
  const { dryRun: t, imports: i } = texts;
  const stored = result.safeParse(await visit.services.sessions.read(keptName(visit, params['run'] ?? ''))).data;
  if (stored === undefined || stored.accountId !== visit.account.id) throw notFoundPage();
  const { outcome } = stored;
  // Then nothing would change, and what matters is who is missing.
  const isCancelled = outcome.state !== 'applied';
  const first = isCancelled && stored.offboardedTotal > 0 ? 'offboarded' : 'attention';
  const group = GROUPS.find((each) => each === query.get('show')) ?? first;
  const title = t.resultFor(stored.name);
  const body = html`${head(title, { lead: t.resultLead(format.time(stored.at), format.number(outcome.employees_total)), crumb: { path: at(visit, '/dry-run'), text: t.title } })}
  ${verdict(visit, stored)} ${warningNote(visit, stored.outcome.warnings)}
  ${
    isCancelled
      ? none
      : html`<div class="block">
          ${figures((['created', 'updated', 'unchanged', 'reactivated', 'skipped', 'offboarded'] as const).map((name) => [texts.counts[name], format.number(outcome.counts?.[name] ?? 0)] as const))}
        </div>`
  }
  ${section(
    i.records,
    html`<div class="panel">
      <form class="bar" aria-label="${i.records}">
        <label class="sr" for="show">${i.outcome}</label>${select(
          'show',
          group,
          GROUPS.map((value) => ({ value, text: t.groups[value] })),
        )}<button>${texts.common.show}</button>
      </form>
      ${list(visit, stored, group)}${stored.isCut && html`<div class="tfoot"><span>${t.cut(format.number(MAX_KEPT))}</span><a href="${at(visit, '/dry-run')}">${t.chooseAgain}</a></div>`}
    </div>`,
  )}`;
  return { page: { title, section: 'dry-run', body } };
}

function verdict({ texts, format, language }: AccountVisit, { outcome, offboardedTotal, isCsv = false }: Result): Html {
  const { dryRun: t } = texts;
  const managed = outcome.managed ?? 0;
  const threshold = outcome.deletion_threshold ?? '0';
  const share =
    managed === 0
      ? ''
      : t.wouldOffboard(
          format.number(offboardedTotal),
          format.number(managed),
          format.percentText(percentNextTo(threshold, offboardedTotal, managed)),
          format.percentText(threshold),
        );
  if (outcome.state === 'applied') return note('good', t.wouldApply, html`<p>${share}</p>`, { isFocused: true });
  const lineOf = isCsv ? (line: number): string => t.line(format.number(line)) : undefined;
  return note(
    'bad',
    t.wouldCancel,
    html`<ul>
      ${outcome.reasons.map((reason) => html`<li>${importReasonText(reason, language, lineOf)}</li>`)}
    </ul>`,
    { isAlert: true, isFocused: true },
  );
}

function list(visit: AccountVisit, { records, offboarded }: Result, group: (typeof GROUPS)[number]): Html {
  const { imports: i } = visit.texts;
  if (group === 'offboarded')
    return table(
      visit.texts.imports.whoWouldLeave,
      [
        {
          title: 'import_id',
          cell: ({ import_id }: Result['offboarded'][number]) => html`<span class="mono">${import_id ?? ''}</span>`,
        },
        { title: i.name, cell: ({ name }: Result['offboarded'][number]) => name },
      ],
      offboarded,
      i.noRecords,
    );
  const isIn = ({ outcome, warnings }: ImportRecord): boolean =>
    group === 'attention' ? outcome === 'skipped' || warnings.length > 0 : outcome === group;
  return recordTable(visit, records.filter(isIn));
}
