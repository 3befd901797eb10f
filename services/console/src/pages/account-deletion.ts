import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { AccountDeletion, DeletedRows, Remainder } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
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
import type { AccountVisit, Reply, SignedInVisit } from '../visit.ts';
import { doneNote, isTyped, rejection, stepUpNeeded } from './common.ts';
import { postLeave } from './operate.ts';

const DEFAULT_DAYS = '30';
const MAX_DAYS = 366;
const DAY_SECONDS = 86_400;
const POLL_SECONDS = 2;

/** Shows how an entered account is deleted, or that its deletion is scheduled. */
export async function getDeletion(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, account, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const { deletion: t } = texts;
  const scheduled = await findDeletion(visit, account.id);
  const crumb = { path: at(visit, '/operate'), text: texts.operate.inAccount };
  const body = html`${head(t.title, { lead: t.lead, crumb })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${scheduled === undefined ? deletionForm(visit, errors) : html`${panel(html`<div class="pad">${facts(visit, scheduled)}</div>`, form(visit, at(visit, '/operate/deletion/cancel'), foot(t.takeBack), ''))}`}`;
  return { page: { title: t.title, section: 'operate', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

async function findDeletion({ operator }: SignedInVisit, account_id: number): Promise<AccountDeletion | undefined> {
  return operator.showAccountDeletion({ account_id }).catch((error: unknown) => {
    if (error instanceof ApplicationError && error.code === 'not_found') return undefined;
    throw error;
  });
}

function deletionForm(visit: AccountVisit, errors: FieldErrors): Html {
  const { texts, account, form: typed } = visit;
  const { deletion: t } = texts;
  const fields = html`${textField('days', { label: t.days, hint: t.daysHint, unit: texts.retention.daysUnit, inputmode: 'numeric', value: typed.get('days') ?? DEFAULT_DAYS, error: errors['days'] })}
  ${choiceField('force', { type: 'checkbox', label: t.connected, hint: t.connectedHint, values: typed.getAll('force'), choices: [{ value: 'on', text: t.force }], error: errors['force'] })}
  ${textField('confirm', { label: texts.form.type(account.name, t.button), value: typed.get('confirm') ?? '', error: errors['confirm'] })}
  ${foot(t.button, { danger: true, cancel: { path: at(visit, '/operate'), text: texts.common.cancel } })}`;
  return html`<div class="block">${note('warn', t.warning, html`<p>${t.warningText}</p>`)}</div>
    ${form(visit, at(visit, '/operate/deletion'), fields)}`;
}

function facts({ texts, format }: SignedInVisit, deletion: AccountDeletion): Html {
  const { deletion: t } = texts;
  const time = (at: string | null | undefined): string => (at == null ? '–' : format.time(at));
  const states: Readonly<Record<string, string>> = t.states;
  const pending = deletion.state === 'running' ? `: ${format.list(deletion.pending_schemas)}` : '';
  return definitions([
    [texts.employee.state, `${states[deletion.state] ?? deletion.state}${pending}`],
    [t.requested, `${time(deletion.requested_at)}, ${deletion.requested_by}`],
    [t.due, time(deletion.due_at)],
    [t.closed, time(deletion.closed_at)],
    [t.finished, time(deletion.finished_at)],
  ]);
}

/** Schedules the deletion. Needs the account's name and a recent sign-in. */
export async function postDeletion(visit: AccountVisit): Promise<Reply> {
  const { texts, account, session, form: given } = visit;
  if (!session.isOperator) throw notFoundPage();
  const days = (given.get('days') ?? '').trim();
  if (!/^\d{1,3}$/.test(days) || Number(days) > MAX_DAYS) return getDeletion(visit, { days: texts.deletion.daysError });
  if (!(await isTyped(visit, account.name))) return getDeletion(visit, { confirm: texts.form.notTyped(account.name) });
  const again = await stepUpNeeded(visit, at(visit, '/operate/deletion'));
  if (again !== undefined) return again;
  const request = { name: account.name, after_seconds: Number(days) * DAY_SECONDS, force: given.get('force') === 'on' };
  try {
    await visit.admin.deleteAccount(request);
  } catch (error) {
    return getDeletion(visit, { force: rejection(visit, error, { conflict: texts.deletion.isConnected }) });
  }
  // The pages of a closed account end at once; its certificate is outside.
  if (Number(days) === 0) await postLeave(visit);
  return { redirect: `/operate/deletions/${account.id}` };
}

/** Takes back a deletion that is not due yet. */
export async function postCancelDeletion(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.admin.cancelAccountDeletion({});
  return { redirect: at(visit, '/operate/deletion?done=kept') };
}

/** Shows an operator the progress of a deletion and, once finished, its certificate. */
export async function getCertificate(visit: SignedInVisit): Promise<Reply> {
  const { texts, request } = visit;
  const { deletion: t } = texts;
  const id = Number(request.params['id']);
  if (!Number.isSafeInteger(id) || id < 1) throw notFoundPage();
  const deletion = await visit.operator.showAccountDeletion({ account_id: id });
  const title = t.titleOf(String(id));
  const isDone = deletion.state === 'finished';
  const body = html`${head(title, { crumb: { path: '/operate', text: texts.operate.title } })}
  ${panel(html`<div class="pad">${facts(visit, deletion)}</div>`)}
  ${deletion.state === 'scheduled' ? html`<p class="block"><a class="btn" href="/operate/enter/${id}">${t.enterToTakeBack}</a></p>` : none}
  ${deletion.deleted.length > 0 ? section(t.deleted, panel(deletedTable(visit, deletion.deleted))) : none}
  ${isDone ? section(t.remains, panel(remainderTable(visit, deletion.remainders))) : none}`;
  return { page: { title, body, ...(deletion.state === 'running' && { reloadSeconds: POLL_SECONDS }) } };
}

function deletedTable({ texts, format }: SignedInVisit, deleted: readonly DeletedRows[]): Html {
  const { deletion: t } = texts;
  return table<DeletedRows>(
    t.deleted,
    [
      { title: t.table, cell: (each) => html`<span class="mono">${each.table}</span>` },
      { title: t.rows, isNumber: true, cell: ({ rows }) => format.number(rows) },
    ],
    deleted,
    '',
  );
}

function remainderTable({ texts, format }: SignedInVisit, remainders: readonly Remainder[]): Html {
  const { deletion: t } = texts;
  return table<Remainder>(
    t.remains,
    [
      { title: t.what, cell: ({ what }) => html`<span lang="en">${what}</span>` },
      { title: t.until, cell: ({ until }) => (until == null ? '–' : format.day(until)) },
    ],
    remainders,
    '–',
  );
}
