import type { Account } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { isFresh } from '../session/session.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  definitions,
  errorSummary,
  foot,
  form,
  formFields,
  head,
  panel,
  section,
  table,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply, SignedInVisit } from '../visit.ts';
import { doneNote, optional, rejection } from './common.ts';

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
          cell: ({ account_id, name }) =>
            html`<a class="btn link" href="/operate/enter/${account_id}">${t.enter}…<span class="sr"> ${name}</span></a>`,
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
  if (!isFresh(session)) return { leadOn: `/sign-in/again?return=${encodeURIComponent(`/operate/enter/${id}`)}` };
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

// Decisions reserved for operators, inside an account that they have entered.
export async function getAccountOperation(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, format, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const { operate: t } = texts;
  const [settings, { issuers }, waiting, status, letters] = await Promise.all([
    visit.admin.showSettings({}),
    visit.admin.showIssuers({}),
    optional(visit.admin.countDeferredFacts({})),
    optional(visit.topics.showTextStatus({})),
    optional(visit.admin.listDeadLetters({ source: visit.query.get('source') ?? '', limit: SHOWN })),
  ]);
  const onOff = [
    { value: 'on', text: texts.settings.on },
    { value: 'off', text: texts.settings.off },
  ];
  const path = at(visit, '/operate');
  const body = html`${head(t.inAccount, { lead: t.inAccountLead })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${section(
    t.contract,
    form(
      visit,
      path,
      html`<input type="hidden" name="version" value="${settings.version}" />
        ${choiceField('entitled', { type: 'radio', label: texts.settings.entitlement, values: [settings.masking_entitled ? 'on' : 'off'], choices: onOff })}
        ${textField('rate', { label: t.rateLimit, hint: t.rateLimitHint, inputmode: 'numeric', value: settings.rate_limit == null ? '' : String(settings.rate_limit), error: errors['rate'] })}
        ${choiceField('external_masker', { type: 'radio', label: t.externalMasker, values: [settings.external_masker ? 'on' : 'off'], choices: onOff })}
        ${choiceField('external_text_models', { type: 'radio', label: t.externalModels, values: [settings.external_text_models ? 'on' : 'off'], choices: onOff })}
        ${foot(texts.common.save)}`,
    ),
  )}
  ${section(
    t.issuers,
    form(
      visit,
      `${path}/issuers`,
      html`<div class="set">
          <div>
            <label for="issuers">${t.issuers}</label>
            <p id="issuers-hint">${t.issuersHint}</p>
          </div>
          <div class="field">
            <textarea id="issuers" name="issuers" rows="3" aria-describedby="issuers-hint">${issuers.join('\n')}</textarea
            >${errors['issuers'] !== undefined && html`<p class="err">${errors['issuers']}</p>`}
          </div>
        </div>
        ${foot(texts.common.save)}`,
    ),
  )}
  ${section(
    t.texts,
    panel(
      html`<div class="pad">
        ${definitions((status?.stages ?? []).map(({ stage, waiting: open, in_progress, not_enqueued, given_up }) => [stage, t.stage(format.number(open + not_enqueued), format.number(in_progress), format.number(given_up.reduce((sum, { answers }) => sum + answers, 0)))] as const))}
      </div>`,
      html`<div class="foot">
        ${small(visit, `${path}/retry`, t.retry)}${['mask', 'categorise', 'sentiment'].map((stage) => small(visit, `${path}/rebuild/${stage}`, t.rebuild(stage)))}
      </div>`,
    ),
  )}
  ${section(
    t.waiting,
    panel(
      table(
        t.waiting,
        [
          {
            title: t.keeper,
            cell: ({ service, kind }: { service: string; kind: string; facts: number }) => `${service}: ${kind}`,
          },
          { title: t.facts, isNumber: true, cell: ({ facts }) => format.number(facts) },
        ],
        waiting?.waiting ?? [],
        t.noneWaiting,
      ),
    ),
  )}
  ${section(
    t.deadLetters,
    panel(
      html`<form class="bar" role="search" aria-label="${t.deadLetters}">
        <label class="sr" for="source">${t.source}</label
        ><input
          id="source"
          type="search"
          name="source"
          value="${visit.query.get('source') ?? ''}"
          placeholder="${t.source}"
        /><button>${texts.common.show}</button>
      </form>`,
      table(
        t.deadLetters,
        [
          {
            title: t.line,
            cell: ({ line }: { line: number; kind: string; reason: string; rejected_by: string }) => format.number(line),
          },
          { title: t.kind, cell: ({ kind, rejected_by }) => `${rejected_by}: ${kind}` },
          { title: texts.imports.why, cell: ({ reason }) => html`<span lang="en">${reason}</span>` },
        ],
        letters?.dead_letters ?? [],
        t.noDeadLetters,
      ),
    ),
  )}`;
  return { page: { title: t.inAccount, section: 'operate', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

const small = (visit: AccountVisit, path: string, label: string): Html =>
  html`<form method="post" action="${path}">${formFields(visit, path)}<button>${label}</button></form>`;

export async function postAccountOperation(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const rate = (given.get('rate') ?? '').trim();
  if (!/^\d{0,7}$/.test(rate)) return getAccountOperation(visit, { rate: texts.operate.rateError });
  const is = (name: string): boolean => given.get(name) === 'on';
  try {
    await visit.admin.setSettings({
      masking_categories: null,
      masking_entitled: is('entitled'),
      rate_limit: Number(rate || 0),
      external_masker: is('external_masker'),
      external_text_models: is('external_text_models'),
      expected_version: Number(given.get('version')),
    });
  } catch (error) {
    return getAccountOperation(visit, {
      rate: rejection(visit, error, { conflict: texts.settings.conflict, invalid: texts.operate.rateError }),
    });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postIssuers(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given, session } = visit;
  if (!session.isOperator) throw notFoundPage();
  const issuers = (given.get('issuers') ?? '').split(/\s+/).filter((each) => each !== '');
  try {
    await visit.admin.setIssuers({ issuers });
  } catch (error) {
    return getAccountOperation(visit, { issuers: rejection(visit, error, { invalid: texts.operate.issuersError }) });
  }
  return { redirect: at(visit, '/operate?done=saved') };
}

export async function postRetry(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  await visit.topics.retryText({});
  return { redirect: at(visit, '/operate?done=saved') };
}

/** Enqueues a stage again, one range of answers at a time. */
export async function postRebuild(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  const stage = visit.params['stage'] ?? '';
  for (let from: number | undefined; ;) {
    const { next_answer } = await visit.topics.rebuildText({ stage, from_answer: from });
    if (next_answer == null) break;
    from = next_answer;
  }
  return { redirect: at(visit, '/operate?done=saved') };
}
