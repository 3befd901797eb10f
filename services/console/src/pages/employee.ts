import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { DeletedRows, Employee, EmployeeErasure } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  definitions,
  errorSummary,
  foot,
  form,
  head,
  note,
  panel,
  section,
  table,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, isTyped, stepUpNeeded } from './common.ts';

const POLL_SECONDS = 2;
const RETURN = 'return';

function employeeId({ session, params }: AccountVisit): number {
  const id = Number(params['employee']);
  if (!session.isOperator || !Number.isSafeInteger(id) || id < 1) throw notFoundPage();
  return id;
}

/** Shows an operator what the services hold about one employee, and the progress of an erasure. */
export async function getEmployee(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { employee: t } = visit.texts;
  const employee_id = employeeId(visit);
  const [employee, counted, erasure] = await Promise.all([
    visit.admin.showEmployee({ employee_id }),
    visit.admin.eraseEmployee({ employee: { employee_id }, dry_run: true, may_return: false }),
    findErasure(visit, employee_id),
  ]);
  const title = t.titleOf(String(employee_id));
  const isRunning = erasure !== undefined && erasure.state !== 'finished';
  const crumb = { path: at(visit, '/operate/employees'), text: t.title };
  const body = html`${head(title, { lead: t.lead, crumb })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${panel(html`<div class="pad">${describe(visit, employee)}</div>`)} ${erasure === undefined ? none : progress(visit, erasure)}
  ${section(t.found, panel(foundTable(visit, counted.found)), { aside: t.foundAside })}
  ${section(
    t.export,
    form(
      visit,
      pathOf(visit, '/export'),
      html`<p class="pad">${t.exportText}</p>
        ${foot(t.exportButton)}`,
    ),
  )}
  ${erasure === undefined ? eraseForm(visit, counted, errors) : none}`;
  const status = Object.keys(errors).length > 0 ? 422 : 200;
  return { page: { title, section: 'operate', status, body, ...(isRunning && { reloadSeconds: POLL_SECONDS }) } };
}

const pathOf = (visit: AccountVisit, path: string): string => at(visit, `/operate/employees/${employeeId(visit)}${path}`);

async function findErasure(visit: AccountVisit, employee_id: number): Promise<EmployeeErasure | undefined> {
  return visit.admin.showEmployeeErasure({ employee_id }).catch((error: unknown) => {
    if (error instanceof ApplicationError && error.code === 'not_found') return undefined;
    throw error;
  });
}

function describe({ texts }: AccountVisit, { import_id, role, language, created_via, is_deleted }: Employee): Html {
  const { employee: t } = texts;
  return definitions([
    ['import_id', html`<span class="mono">${import_id ?? '–'}</span>`],
    [texts.operate.role, `${role ?? '–'}${is_deleted ? `, ${texts.operate.offboarded}` : ''}`],
    [t.language, language ?? '–'],
    [t.createdVia, html`<span class="mono">${created_via}</span>`],
  ]);
}

function foundTable({ texts, format }: AccountVisit, found: readonly DeletedRows[]): Html {
  const { employee: t } = texts;
  return table<DeletedRows>(
    t.found,
    [
      { title: texts.operate.kind, cell: ({ table: kind }) => html`<span class="mono">${kind}</span>` },
      { title: t.number, isNumber: true, cell: ({ rows }) => format.number(rows) },
    ],
    found.filter(({ rows }) => rows > 0),
    t.nothingFound,
  );
}

function progress(visit: AccountVisit, erasure: EmployeeErasure): Html {
  const { texts, format } = visit;
  const { employee: t } = texts;
  const { state, pending_schemas, requested_at, erased_at, finished_at, may_return } = erasure;
  const time = (at: string | null | undefined): string => (at == null ? '–' : format.time(at));
  const states: Readonly<Record<string, string>> = t.states;
  const facts = definitions([
    [t.state, `${states[state] ?? state}${state === 'running' ? `: ${format.list(pending_schemas)}` : ''}`],
    [t.requested, time(requested_at)],
    [t.erased, time(erased_at)],
    [t.finished, time(finished_at)],
    [t.answers, erasure.answers === 'delete' ? t.deleted : t.anonymised],
    [t.mayReturn, may_return ? t.yes : t.no],
  ]);
  const allow = may_return
    ? none
    : form(
        visit,
        pathOf(visit, '/erase'),
        html`<input type="hidden" name="${RETURN}" value="on" />${foot(t.allowReturn, { aside: t.allowReturnAside })}`,
        '',
      );
  return section(t.erasure, panel(html`<div class="pad">${facts}</div>`, allow));
}

function eraseForm(visit: AccountVisit, { answers, employee_id }: EmployeeErasure, errors: FieldErrors): Html {
  const { texts, form: typed } = visit;
  const { employee: t } = texts;
  const warning = html`<p>${answers === 'delete' ? t.answersDeleted : t.answersAnonymised}</p>`;
  const fields = html`${choiceField(RETURN, { type: 'checkbox', label: t.mayReturn, hint: t.mayReturnHint, values: typed.getAll(RETURN), choices: [{ value: 'on', text: t.allowReturn }] })}
  ${textField('confirm', { label: texts.form.type(String(employee_id), t.eraseButton), inputmode: 'numeric', value: typed.get('confirm') ?? '', error: errors['confirm'] })}
  ${foot(t.eraseButton, { danger: true, cancel: { path: at(visit, '/operate'), text: texts.common.cancel }, aside: t.eraseAside })}`;
  return section(t.erasure, html`${note('warn', t.eraseWarning, warning)}${form(visit, pathOf(visit, '/erase'), fields)}`);
}

/** Erases the employee for good, or allows an erased one to return. Needs a recent sign-in. */
export async function postErase(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given } = visit;
  const employee_id = employeeId(visit);
  const isErased = (await findErasure(visit, employee_id)) !== undefined;
  if (!isErased && !(await isTyped(visit, String(employee_id))))
    return getEmployee(visit, { confirm: texts.form.notTyped(String(employee_id)) });
  const again = await stepUpNeeded(visit, pathOf(visit, ''));
  if (again !== undefined) return again;
  await visit.admin.eraseEmployee({ employee: { employee_id }, dry_run: false, may_return: given.get(RETURN) === 'on' });
  return { redirect: pathOf(visit, `?done=${isErased ? 'saved' : 'erasing'}`) };
}

/** Downloads the employee's data without responses and texts; account-admin audits it. */
export async function postExport(visit: AccountVisit): Promise<Reply> {
  const employee_id = employeeId(visit);
  const again = await stepUpNeeded(visit, pathOf(visit, ''));
  if (again !== undefined) return again;
  const { json } = await visit.admin.exportEmployee({ employee: { employee_id } });
  const text = JSON.stringify(JSON.parse(json), undefined, 2);
  return { json: `employee-${visit.account.id}-${employee_id}.json`, text: `${text}\n` };
}
