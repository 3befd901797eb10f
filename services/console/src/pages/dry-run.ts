import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { BusboyError, parseSnapshotForm } from '../snapshot-form.ts';
import { ApplicationError, type FieldError } from '@survey/rpc/application-error.ts';
import type {
  ImportRecord,
  CheckedSnapshot,
  DryRunOutcome,
  DryRunPart,
} from '@survey/rpc/gen/survey/common/v1/import_outcome.ts';
import type { CheckSnapshotRequest } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { z } from 'zod';
import { isFormToken } from '../guard/csrf.ts';
import { notFoundPage, PageError } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, figures, formFields, head, note, section, select, table } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { recordTable, rowsOf } from './imports.ts';

const DEADLINE_MS = 300_000;
const RETENTION_SECONDS = 3_600;
const MAX_KEPT = 2_000;
const PAGE = 200;
const GROUPS = ['attention', 'skipped', 'created', 'updated', 'reactivated', 'leaving'] as const;

const leaver = z.object({ import_id: z.string().nullish(), name: z.string() });
const result = z.object({
  accountId: z.number(),
  name: z.string(),
  at: z.string(),
  outcome: z.custom<DryRunOutcome>((value) => typeof value === 'object' && value !== null),
  records: z.array(z.custom<ImportRecord>((value) => typeof value === 'object' && value !== null)),
  leaving: z.array(leaver),
  leavingTotal: z.number(),
  isCut: z.boolean(),
});
type Result = z.infer<typeof result>;

interface Rejected {
  readonly title: string;
  readonly text: string;
  readonly findings?: readonly FieldError[];
  readonly total?: number;
}

export async function getDryRun(visit: AccountVisit, rejected?: Rejected): Promise<Reply> {
  const { texts, services, format } = visit;
  const { dryRun: t } = texts;
  const path = at(visit, '/dry-run');
  const maxMb = format.number(services.maxSnapshotBytes / 2 ** 20);
  const body = html`${head(t.title, { lead: t.lead })}${rejected && rejection(visit, rejected)}
    <form class="fields block" method="post" action="${path}" enctype="multipart/form-data">
      ${formFields(visit, path)}
      <label class="drop"
        ><b><u>${t.choose}</u> ${t.orDrop}</b><br /><span class="muted small">${t.fileHint(maxMb)}</span><br /><span
          id="file-name"
          class="mono"
        ></span
        ><input
          type="file"
          name="snapshot"
          accept=".json,.gz,application/json,application/gzip"
          aria-label="${t.file}"
          data-name="file-name"
          required
      /></label>
      <p class="row">
        <button class="primary">${t.run}</button
        ><button class="btn" name="as" value="csv" formaction="${path}.csv">${t.asCsv}</button
        ><span class="muted small">${t.oneAtATime}</span>
      </p>
    </form>`;
  return { page: { title: t.title, section: 'dry-run', status: rejected === undefined ? 200 : 422, body } };
}

function rejection({ texts, format }: AccountVisit, { title, text, findings = [], total = 0 }: Rejected): Html {
  const { dryRun: t } = texts;
  const list = table<FieldError>(
    t.findings,
    [
      { title: texts.imports.where, cell: ({ pointer }) => html`<code>${pointer || '/'}</code>` },
      { title: t.what, cell: ({ detail }) => html`<span lang="en">${detail}</span>` },
    ],
    findings,
    '',
  );
  const more =
    total > findings.length
      ? html`<div class="tfoot"><span>${t.moreFindings(format.number(total - findings.length))}</span></div>`
      : none;
  return html`${note('bad', title, html`<p>${text}</p>`, { isAlert: true, isFocused: true })}${findings.length > 0 && html`<div class="panel block">${list}${more}</div>`}`;
}

export async function postDryRun(visit: AccountVisit): Promise<Reply> {
  return withSnapshot(visit, async (snapshot, name) => {
    const found = await collect(visit, name, parts(visit, snapshot));
    const id = randomUUID();
    await visit.services.sessions.keep(keptName(visit, id), found, RETENTION_SECONDS);
    await visit.noteAudit(visit.account, 'dry-run', `${found.outcome.state}, ${found.outcome.employees_total} records`);
    return { redirect: at(visit, `/dry-run/${id}`) };
  });
}

/** Streams every record of the dry run as CSV; nothing is stored. */
export async function postDryRunCsv(visit: AccountVisit): Promise<Reply> {
  return withSnapshot(visit, async (snapshot) => {
    await visit.noteAudit(visit.account, 'dry-run', 'as CSV');
    return { csv: 'dry-run.csv', rows: csvRows(parts(visit, snapshot)) };
  });
}

// Bound to the session: no other session can open the result, even with its URL.
const keptName = ({ session, account }: AccountVisit, id: string): string => `dry-run ${session.formSecret} ${account.id} ${id}`;

async function withSnapshot(
  visit: AccountVisit,
  work: (snapshot: CheckedSnapshot, name: string) => Promise<Reply>,
): Promise<Reply> {
  const { texts, session, services, request } = visit;
  const { dryRun: t } = texts;
  try {
    const upload = await parseSnapshotForm(request, services.maxSnapshotBytes);
    if (!isFormToken(session.formSecret, at(visit, '/dry-run'), upload.fields.get('token') ?? ''))
      throw new PageError(403, 'oldForm');
    if (upload.isEmpty) return await getDryRun(visit, { title: t.noFile, text: t.chooseFile });
    const snapshot = await check(visit, upload.file, upload.encoding);
    if (upload.isTooLarge()) return await getDryRun(visit, { title: t.tooLarge, text: t.useSurveyctl });
    return await work(snapshot, upload.name);
  } catch (error) {
    if (error instanceof BusboyError) return getDryRun(visit, { title: t.noFile, text: t.chooseFile });
    if (!(error instanceof ApplicationError) || error.code === 'forbidden') throw error;
    return getDryRun(visit, rejectedBy(visit, error));
  }
}

function rejectedBy({ texts }: AccountVisit, { code, message, fieldErrors, fieldErrorsTotal }: ApplicationError): Rejected {
  const { dryRun: t } = texts;
  if (code === 'conflict') return { title: t.conflict, text: t.conflictText };
  if (code === 'busy') return { title: t.busy, text: t.busyText };
  if (code === 'not_found') return { title: t.notConnected, text: t.notConnectedText };
  if (code === 'too_large') return { title: t.tooLarge, text: t.useSurveyctl };
  return {
    title: t.notValid,
    text: fieldErrors.length > 0 ? t.sameAnswer : message,
    findings: fieldErrors,
    total: fieldErrorsTotal,
  };
}

async function check(visit: AccountVisit, file: Readable, content_encoding: string): Promise<CheckedSnapshot> {
  const { services, account } = visit;
  const options = { caller: visit.caller(), deadlineMs: DEADLINE_MS };
  return services.admin.checkSnapshot(messages(account.id, content_encoding, file), options);
}

async function* messages(account_id: number, content_encoding: string, file: Readable): AsyncGenerator<CheckSnapshotRequest> {
  yield { head: { account_id, content_encoding } };
  for await (const chunk of file) yield { chunk: chunk as Buffer };
}

function parts(visit: AccountVisit, snapshot: CheckedSnapshot): AsyncIterable<DryRunPart> {
  const options = { caller: visit.caller(), deadlineMs: DEADLINE_MS };
  return visit.services.admin.dryRunImport({ account_id: visit.account.id, snapshot }, options);
}

// All counts, and at most 2,000 records per outcome to keep the page small. The CSV has all
// records.
async function collect(visit: AccountVisit, name: string, from: AsyncIterable<DryRunPart>): Promise<Result> {
  const kept = new Map<string, number>();
  const found: Omit<Result, 'outcome'> & { outcome?: DryRunOutcome } = {
    accountId: visit.account.id,
    name,
    at: new Date().toISOString(),
    records: [],
    leaving: [],
    leavingTotal: 0,
    isCut: false,
  };
  for await (const part of from) {
    if (part.outcome != null) found.outcome = part.outcome;
    for (const record of part.records?.records ?? []) {
      const kind = record.outcome !== 'skipped' && record.warnings.length > 0 ? 'warning' : record.outcome;
      const count = (kept.get(kind) ?? 0) + 1;
      kept.set(kind, count);
      if (count <= MAX_KEPT) found.records.push(record);
      else found.isCut = true;
    }
    for (const { import_id, name: person } of part.leaving?.leaving ?? []) {
      found.leavingTotal += 1;
      if (found.leavingTotal <= MAX_KEPT) found.leaving.push({ import_id, name: person });
    }
  }
  if (found.outcome === undefined) throw new PageError(503, 'unavailable');
  return { ...found, outcome: found.outcome };
}

async function* csvRows(from: AsyncIterable<DryRunPart>): AsyncGenerator<string[]> {
  yield ['index', 'import_id', 'outcome', 'kind', 'code', 'pointer', 'detail'];
  for await (const part of from) {
    for (const record of part.records?.records ?? []) yield* rowsOf(record);
    for (const { import_id } of part.leaving?.leaving ?? []) yield ['', import_id ?? '', 'offboarded', '', '', '', ''];
  }
}

export async function getDryRunResult(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query, params } = visit;
  const { dryRun: t, imports: i } = texts;
  const found = result.safeParse(await visit.services.sessions.read(keptName(visit, params['run'] ?? ''))).data;
  if (found === undefined || found.accountId !== visit.account.id) throw notFoundPage();
  const { outcome } = found;
  const group = GROUPS.find((each) => each === query.get('show')) ?? 'attention';
  const title = t.resultFor(found.name);
  const body = html`${head(title, { lead: t.resultLead(format.time(found.at), format.number(outcome.employees_total)), crumb: { path: at(visit, '/dry-run'), text: t.title } })}
    ${verdict(visit, found)}
    <div class="block">
      ${figures((['created', 'updated', 'unchanged', 'reactivated', 'skipped', 'offboarded'] as const).map((name) => [texts.counts[name], format.number(outcome.counts?.[name] ?? 0)] as const))}
    </div>
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
        ${list(visit, found, group)}${found.isCut && html`<div class="tfoot"><span>${t.cut(format.number(MAX_KEPT))}</span></div>`}
      </div>`,
    )}`;
  return { page: { title, section: 'dry-run', body } };
}

function verdict({ texts, format }: AccountVisit, { outcome, leavingTotal }: Result): Html {
  const { dryRun: t } = texts;
  const managed = outcome.managed ?? 0;
  const share =
    managed === 0
      ? ''
      : t.wouldOffboard(
          format.number(leavingTotal),
          format.number(managed),
          format.percent(leavingTotal / managed),
          format.percentText(outcome.deletion_threshold ?? ''),
        );
  if (outcome.state === 'applied') return note('good', t.wouldApply, html`<p>${share}</p>`, { isFocused: true });
  return note(
    'bad',
    t.wouldCancel,
    html`<ul>
      ${outcome.cancel_reasons.map((reason) => html`<li lang="en">${reason}</li>`)}
    </ul>`,
    { isAlert: true, isFocused: true },
  );
}

function list(visit: AccountVisit, { records, leaving }: Result, group: (typeof GROUPS)[number]): Html {
  const { imports: i } = visit.texts;
  if (group === 'leaving')
    return table(
      visit.texts.imports.whoWouldLeave,
      [
        {
          title: 'import_id',
          cell: ({ import_id }: Result['leaving'][number]) => html`<span class="mono">${import_id ?? ''}</span>`,
        },
        { title: i.name, cell: ({ name }: Result['leaving'][number]) => name },
      ],
      leaving.slice(0, PAGE),
      i.noRecords,
    );
  const isIn = ({ outcome, warnings }: ImportRecord): boolean =>
    group === 'attention' ? outcome === 'skipped' || warnings.length > 0 : outcome === group;
  return recordTable(visit, records.filter(isIn).slice(0, PAGE));
}
