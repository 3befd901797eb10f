import type { Account } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html } from '../views/html.ts';
import { errorSummary, foot, form, head, panel, section, table, textField, type FieldErrors } from '../views/parts.ts';
import type { Reply, SignedInVisit } from '../visit.ts';
import { doneNote, rejection, stepUpNeeded } from './common.ts';

const SHOWN = 100;
const MIN_REASON = 3;
const MAX_REASON = 200;

export async function getOperate(visit: SignedInVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format, query } = visit;
  const { operate: t } = texts;
  const search = (query.get('q') ?? '').trim().toLowerCase();
  const { accounts } = await visit.operator.listAccounts({});
  const found = accounts.filter(({ account_id, name }) => String(account_id) === search || name.toLowerCase().includes(search));
  const body = html`${head(t.title, { lead: t.lead })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${panel(
    html`<form class="bar" role="search" aria-label="${t.accounts}">
      <label class="sr" for="q">${t.search}</label
      ><input id="q" type="search" name="q" value="${query.get('q') ?? ''}" placeholder="${t.search}" /><button>
        ${texts.common.search}
      </button>
    </form>`,
    table<Account>(
      t.accounts,
      [
        { title: t.account, cell: ({ account_id, name }) => html`${name} <span class="muted small">${account_id}</span>` },
        { title: t.created, isOptional: true, cell: ({ created_at }) => format.day(created_at) },
        {
          title: texts.common.actions,
          isNumber: true,
          isAction: true,
          cell: ({ account_id, name, closed_at }) =>
            closed_at == null
              ? html`<a class="btn link" href="/operate/enter/${account_id}">${t.enter}…<span class="sr"> ${name}</span></a>`
              : html`<a class="btn link" href="/operate/deletions/${account_id}"
                  >${texts.deletion.show}<span class="sr"> ${account_id}</span></a
                >`,
        },
      ],
      found.slice(0, SHOWN),
      t.noAccounts,
    ),
    html`<div class="tfoot">
      <span>${texts.common.of(format.number(Math.min(SHOWN, found.length)), format.number(accounts.length))}</span>
    </div>`,
  )}
  ${section(t.createAccount, form(visit, '/operate/accounts', html`${textField('name', { label: t.accountName, value: visit.form.get('name') ?? '', maxLength: 255, error: errors['name'] })}${foot(t.createAccount)}`))}`;
  return { page: { title: t.title, status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

export async function postAccount(visit: SignedInVisit): Promise<Reply> {
  const name = (visit.form.get('name') ?? '').trim();
  try {
    await visit.operator.createAccount({ name });
  } catch (error) {
    return getOperate(visit, { name: rejection(visit, error, { invalid: visit.texts.operate.nameError }) });
  }
  return { redirect: '/operate?done=created' };
}

async function findAccount(visit: SignedInVisit): Promise<Account> {
  const account_id = Number(visit.request.params['id']);
  if (!Number.isSafeInteger(account_id) || account_id < 1) throw notFoundPage();
  return visit.operator.showAccount({ account_id });
}

export async function getEnter(visit: SignedInVisit, error?: string): Promise<Reply> {
  const { texts } = visit;
  const { operate: t } = texts;
  const { account_id, name } = await findAccount(visit);
  const title = t.enterTitle(name);
  const fields = html`${textField('reason', { label: texts.imports.reason, hint: t.reasonHint, maxLength: MAX_REASON, value: visit.form.get('reason') ?? '', error })}${foot(t.enter, { cancel: { path: '/operate', text: texts.common.cancel } })}`;
  const body = html`${head(title, { lead: t.enterLead, crumb: { path: '/operate', text: t.title } })}${errorSummary(visit, error === undefined ? {} : { reason: error })}${form(visit, `/operate/enter/${account_id}`, fields)}`;
  return { page: { title, status: error === undefined ? 200 : 422, body } };
}

/** Enters an account: its audit records carry the reason. */
export async function postEnter(visit: SignedInVisit): Promise<Reply> {
  const { texts, session, sessionId, services, form: given } = visit;
  const reason = (given.get('reason') ?? '').trim();
  if (reason.length < MIN_REASON || reason.length > MAX_REASON) return getEnter(visit, texts.imports.reasonError);
  const { account_id: id, name } = await findAccount(visit);
  const again = await stepUpNeeded(visit, `/operate/enter/${id}`);
  if (again !== undefined) return again;
  const caller = {
    requestId: visit.requestId,
    address: visit.address,
    onBehalfOf: { kind: 'operator', name: session.name },
    reason,
  } as const;
  await services.admin.noteAudit({ account_id: id, action: 'account.enter', what: '' }, { caller, deadlineMs: 10_000 });
  await services.sessions.save(sessionId, { ...session, entered: { account: { id, name }, reason } });
  return { redirect: `/a/${id}/` };
}

export async function postLeave(visit: SignedInVisit): Promise<Reply> {
  const { entered: _entered, ...session } = visit.session;
  await visit.services.sessions.save(visit.sessionId, session);
  return { redirect: '/operate' };
}
