import { randomUUID } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type CsvFault, type CsvSnapshot, isCsv, readCsv } from './csv-snapshot.ts';
import { BusboyError, parseSnapshotForm } from './snapshot-form.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { DryRunPart } from '@survey/proto/common/v1/import_outcome.ts';
import { isFormToken } from '../form-token.ts';
import { PageError } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, formFields, head, note, section, table } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { check, collect, csvRows, inLines, keptName, MAX_RUN_SECONDS, parts, RETENTION_SECONDS } from './dry-run-result.ts';

const LOOK_MS = 1_000;

interface Finding {
  readonly line?: number | undefined;
  readonly where: Html | string;
  readonly import_id: string | undefined;
  readonly what: Html | string;
}

interface Rejected {
  readonly title: string;
  readonly text: string;
  readonly findings?: readonly Finding[];
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
          accept=".json,.gz,.csv,.tsv,.txt,application/json,application/gzip,text/csv"
          aria-label="${t.file}"
          data-name="file-name"
          required
      /></label>
      <p class="row">
        <button class="primary">${t.run}</button
        ><button class="btn" name="as" value="csv" formaction="${path}.csv">${t.asCsv}</button
        ><span class="muted small">${t.oneAtATime}</span>
      </p>
    </form>
    ${section(
      t.samples,
      html`<p>${t.samplesText}</p>
        <p class="row block">
          <a class="btn" href="${services.assets.path('sample.csv')}" download="employees.csv">${t.sampleCsv}</a
          ><a class="btn" href="${services.assets.path('sample.json')}" download="employees.json">${t.sampleJson}</a>
        </p>`,
    )}`;
  return { page: { title: t.title, section: 'dry-run', status: rejected === undefined ? 200 : 422, body } };
}

function rejection({ texts, format }: AccountVisit, { title, text, findings = [], total = 0 }: Rejected): Html {
  const { dryRun: t } = texts;
  const list = table<Finding>(
    t.findings,
    [
      { title: texts.imports.where, cell: ({ where }) => where },
      { title: 'import_id', cell: ({ import_id }) => html`<span class="mono">${import_id ?? ''}</span>` },
      { title: t.what, cell: ({ what }) => what },
    ],
    findings,
    '',
  );
  const unlisted =
    total > findings.length
      ? html`<div class="tfoot"><span>${t.moreFindings(format.number(total - findings.length))}</span></div>`
      : none;
  return html`${note('bad', title, html`<p>${text}</p>`, { isAlert: true, isFocused: true })}${findings.length > 0 && html`<div class="panel block">${list}${unlisted}</div>`}`;
}

/** Runs the file and shows the result, which is kept for an hour. */
export async function postDryRun(visit: AccountVisit): Promise<Reply> {
  return withSnapshot(visit, async (run, file) => {
    const result = await collect(visit, file, run);
    const id = randomUUID();
    await visit.services.sessions.keep(keptName(visit, id), result, RETENTION_SECONDS);
    await visit.noteAudit(visit.account, 'dry-run', `${result.outcome.state}, ${result.outcome.employees_total}`);
    return { redirect: at(visit, `/dry-run/${id}`) };
  });
}

/** Streams every record of the dry run as CSV; nothing is stored. */
export async function postDryRunCsv(visit: AccountVisit): Promise<Reply> {
  return withSnapshot(visit, async (run, _file, turn) => {
    await visit.noteAudit(visit.account, 'dry-run', 'CSV');
    return { csv: 'dry-run.csv', rows: whileHolding(turn.move(), csvRows(run, visit.language)) };
  });
}

async function* whileHolding<T>(turn: AsyncDisposable, rows: AsyncIterable<T>): AsyncGenerator<T> {
  await using _turn = turn;
  yield* rows;
}

// An account has one dry run at a time, upload included, over all replicas. The turn of a process
// that dies ends once no dry run could last longer.
async function takeTurn({ services, account }: AccountVisit): Promise<AsyncDisposableStack | undefined> {
  const name = `turn of a dry run ${account.id}`;
  if (!(await services.sessions.useOnce(name, MAX_RUN_SECONDS))) return undefined;
  const turn = new AsyncDisposableStack();
  turn.defer(() => services.sessions.release(name));
  return turn;
}

// An upload may last minutes, in which the session can end. What has begun to be sent ends as well.
function watchSession({ services, sessionId, response }: AccountVisit, turn: AsyncDisposableStack): AbortSignal {
  const ended = new AbortController();
  const end = (reason: unknown): void => {
    ended.abort(reason);
    if (response.headersSent) response.destroy();
    else response.set('Connection', 'close');
  };
  const look = async (): Promise<void> => {
    if ((await services.sessions.find(sessionId)) === undefined) end(new PageError(403, 'oldForm'));
  };
  const timer = setInterval(() => void look().catch(end), LOOK_MS);
  turn.defer(() => clearInterval(timer));
  return ended.signal;
}

async function withSnapshot(
  visit: AccountVisit,
  work: (run: AsyncIterable<DryRunPart>, file: { name: string; isCsv: boolean }, turn: AsyncDisposableStack) => Promise<Reply>,
): Promise<Reply> {
  const { texts, session, services, request } = visit;
  const { dryRun: t } = texts;
  let csv: CsvSnapshot | undefined;
  await using turn = await takeTurn(visit);
  if (turn === undefined) return getDryRun(visit, { title: t.busy, text: t.busyText });
  try {
    const upload = await parseSnapshotForm(request, services.maxSnapshotBytes, watchSession(visit, turn));
    if (!isFormToken(session, at(visit, '/dry-run'), upload.fields.get('token') ?? '')) throw new PageError(403, 'oldForm');
    if (upload.isEmpty) return await getDryRun(visit, { title: upload.name === '' ? t.noFile : t.emptyFile, text: t.chooseFile });
    if (upload.isWorkbook) return await getDryRun(visit, { title: t.notValid, text: t.isWorkbook });
    // An error of either stream ends the reading of the other.
    const unpack = (): Readable => pipeline(upload.file, createGunzip(), () => {});
    if (isCsv(upload.name)) csv = readCsv(upload.encoding === 'gzip' ? unpack() : upload.file);
    const snapshot = await check(visit, csv?.json ?? upload.file, csv === undefined ? upload.encoding : '');
    if (upload.isTooLarge()) return await getDryRun(visit, { title: t.tooLarge, text: t.useSurveyctl });
    if (csv !== undefined && csv.faults().total > 0)
      return await getDryRun(visit, { title: t.notValid, text: t.csvRejected, ...faultsOf(visit, csv) });
    // Since the last look.
    if ((await services.sessions.find(visit.sessionId)) === undefined) throw new PageError(403, 'oldForm');
    const run = parts(visit, snapshot);
    const file = { name: upload.name, isCsv: csv !== undefined };
    return await work(csv === undefined ? run : inLines(visit, csv, run), file, turn);
  } catch (error) {
    if (error instanceof BusboyError) return getDryRun(visit, { title: t.noFile, text: t.chooseFile });
    if (!(error instanceof ApplicationError) || error.code === 'forbidden') throw error;
    return getDryRun(visit, rejectedBy(visit, error, csv));
  }
}

function rejectedBy(visit: AccountVisit, error: ApplicationError, csv: CsvSnapshot | undefined): Rejected {
  const { code, message, fieldErrors, fieldErrorsTotal } = error;
  const { dryRun: t } = visit.texts;
  if (code === 'conflict') return { title: t.conflict, text: t.conflictText };
  if (code === 'busy') return { title: t.busy, text: t.busyText };
  if (code === 'not_found') return { title: t.notConnected, text: t.notConnectedText };
  if (code === 'too_large') return { title: t.tooLarge, text: t.useSurveyctl };
  const inCsv = csv === undefined ? { findings: [], total: 0 } : faultsOf(visit, csv);
  // Without all columns, every record has the same faults.
  const isHeadWrong = csv?.faults().list.some(({ line }) => line === 1) === true;
  const inValues = isHeadWrong
    ? []
    : fieldErrors.map(({ pointer, detail, import_id }) => {
        const place = csv?.placeOf(pointer);
        return {
          line: place?.line,
          where: place === undefined ? html`<code>${pointer || '/'}</code>` : placeIn(visit, place),
          import_id,
          what: place?.isEmpty === true ? t.emptyCell : html`<span lang="en">${detail}</span>`,
        };
      });
  const findings = [...inCsv.findings, ...inValues].toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
  return {
    title: t.notValid,
    text: csv !== undefined ? t.csvRejected : findings.length > 0 ? t.sameAnswer : message,
    findings,
    total: inCsv.total + (isHeadWrong ? 0 : fieldErrorsTotal),
  };
}

function faultsOf(visit: AccountVisit, csv: CsvSnapshot): { findings: Finding[]; total: number } {
  const { list, total } = csv.faults();
  const findings = list.map((fault: CsvFault) => ({
    line: fault.line,
    where: placeIn(visit, fault),
    import_id: fault.import_id,
    what: visit.texts.dryRun.csvFaults[fault.kind],
  }));
  return { findings, total };
}

function placeIn(
  { texts, format }: AccountVisit,
  { line, column }: { line: number | undefined; column?: string | undefined },
): Html {
  const name = column === undefined ? none : html` <code>${column}</code>`;
  return html`${line === undefined ? none : texts.dryRun.line(format.number(line))}${name}`;
}
