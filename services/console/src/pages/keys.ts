import { v4 as uuidv4 } from 'uuid';
import type { ApiKey, KeyUsage } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage, PageError } from '../page-error.ts';
import { bars } from '../plots/bars.ts';
import { html, none, ownMarkup, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  errorSummary,
  foot,
  form,
  formFields,
  head,
  note,
  orUnavailable,
  panel,
  section,
  table,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, isTyped, optional, rejection, stepUpNeeded } from './common.ts';

const DAYS = 14;
const DAY_MS = 86_400_000;
const RECENT_MS = 7 * DAY_MS;
const PLOTTED_KEYS = 8;
const ONCE_SECONDS = 86_400;
const MAX_NAME = 60;
const GRACES = ['3600', '86400', '604800', '0'] as const;

interface Typed {
  readonly name?: string;
  readonly errors?: FieldErrors;
}

export function isActive({ revoked_at, ends_at }: ApiKey): boolean {
  return revoked_at == null && (ends_at == null || Date.parse(ends_at) > Date.now());
}

export async function getKeys(visit: AccountVisit, { name = '', errors = {} }: Typed = {}): Promise<Reply> {
  const { texts, session } = visit;
  const { keys: t } = texts;
  const [{ keys }, usage] = await Promise.all([visit.admin.listKeys({}), optional(visit.admin.listUsage({ days: DAYS }))]);
  const reading = keys.filter(({ scope }) => scope === 'read').toReversed();
  const writing = keys.find((key) => key.scope === 'employees:write' && isActive(key));
  const body = html`${head(t.title, { lead: html`${t.lead} <a href="${at(visit, '/integration')}">${texts.nav.integration}</a>` })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${panel(keyTable(visit, reading, usage?.usage ?? []))}
  ${writing && html`<p class="block muted">${t.importKey} <code>${writing.prefix}…</code>: <a href="${at(visit, '/integration')}">${texts.nav.integration}</a></p>`}
  ${section(
    t.requests,
    orUnavailable(visit, usage, (found) => usagePlot(visit, reading, found.usage)),
    { aside: t.requestsAside(DAYS) },
  )}
  ${session.isOperator ? section(t.create, panel(html`<p class="pad muted">${t.notForOperators}</p>`)) : creation(visit, name, errors)}`;
  return { page: { title: t.title, section: 'keys', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}

function creation(visit: AccountVisit, name: string, errors: FieldErrors): Html {
  const { keys: t } = visit.texts;
  const fields = html`<input type="hidden" name="once" value="${uuidv4()}" />
    ${textField('name', { label: t.name, hint: t.nameHint, value: name, maxLength: MAX_NAME, error: errors['name'] })}
    <div class="set">
      <div>
        <b>${t.canRead}</b>
        <p>${t.canReadText}</p>
      </div>
      <div><span class="scope">read</span></div>
    </div>
    ${foot(t.create)}`;
  return section(t.create, form(visit, at(visit, '/keys'), fields), { id: 'new' });
}

function keyTable(visit: AccountVisit, keys: readonly ApiKey[], usage: readonly KeyUsage[]): Html {
  const { texts, format } = visit;
  const { keys: t } = texts;
  const total = (keyId: string): number => sum(usage.filter(({ key_id }) => key_id === keyId));
  return table<ApiKey>(
    t.title,
    [
      {
        title: t.name,
        cell: (key) => html`${nameOf(visit, key)} <code class="only muted">${key.prefix}…</code><br />${stateTag(visit, key)}`,
      },
      { title: t.key, isOptional: true, cell: ({ prefix }) => html`<code class="nw">${prefix}…</code>` },
      {
        title: t.created,
        isOptional: true,
        cell: ({ created_at, created_by }) => `${format.day(created_at)}${created_by == null ? '' : `, ${created_by}`}`,
      },
      { title: t.lastUsed, cell: ({ last_used_at }) => (last_used_at == null ? t.neverUsed : format.time(last_used_at)) },
      { title: t.requestsShort(DAYS), isNumber: true, isOptional: true, cell: ({ key_id }) => format.number(total(key_id)) },
      { title: texts.common.actions, isNumber: true, isAction: true, cell: (key) => actions(visit, key) },
    ],
    keys,
    t.none,
  );
}

const nameOf = ({ texts }: AccountVisit, { name, prefix }: ApiKey): string => name ?? `${texts.keys.unnamed} ${prefix}`;

function stateTag({ texts, format }: AccountVisit, key: ApiKey): Html {
  if (key.revoked_at != null) return tag('off', texts.keys.revoked(format.day(key.revoked_at)));
  if (key.ends_at == null) return tag('on', texts.keys.active);
  return isActive(key)
    ? tag('warn', texts.keys.ends(format.time(key.ends_at)))
    : tag('off', texts.keys.ended(format.time(key.ends_at)));
}

function actions(visit: AccountVisit, key: ApiKey): Html {
  const { texts, session } = visit;
  if (!isActive(key)) return none;
  const what = html`<span class="sr"> ${nameOf(visit, key)}</span>`;
  const rotate =
    session.isOperator || key.ends_at != null
      ? none
      : html`<a class="btn link" href="${at(visit, `/keys/${key.key_id}/rotate`)}">${texts.keys.rotate}…${what}</a> `;
  return html`${rotate}<a class="btn link danger" href="${at(visit, `/keys/${key.key_id}/revoke`)}"
      >${texts.keys.revoke}…${what}</a
    >`;
}

const sum = (usage: readonly KeyUsage[]): number =>
  usage.reduce((total, { succeeded, refused, throttled, failed }) => total + succeeded + refused + throttled + failed, 0);

function usagePlot(visit: AccountVisit, keys: readonly ApiKey[], usage: readonly KeyUsage[]): Html {
  const { texts, format } = visit;
  const { keys: t } = texts;
  const today = Math.floor(Date.now() / DAY_MS);
  const from = today - DAYS + 1;
  const dayName = (day: number): string => format.shortDay(new Date(day * DAY_MS).toISOString());
  const used = keys.filter(({ key_id }) => usage.some((each) => each.key_id === key_id)).slice(0, PLOTTED_KEYS);
  if (used.length === 0) return panel(html`<p class="pad muted">${t.noRequests}</p>`);
  const rows = used.map((key) => {
    const own = usage.filter(({ key_id }) => key_id === key.key_id);
    const data = own.map((each) => {
      const x = Math.floor(Date.parse(each.day) / DAY_MS) - from;
      return { x, value: sum([each]), title: `${dayName(from + x)}: ${format.number(sum([each]))}` };
    });
    const total = sum(own);
    const refused = total === 0 ? 0 : own.reduce((count, each) => count + each.refused + each.throttled + each.failed, 0) / total;
    const highest = format.number(Math.max(0, ...data.map(({ value }) => value)));
    const name = nameOf(visit, key);
    const label = texts.imports.plotLabel(name, dayName(from), dayName(today), highest);
    return html`<div class="l"><b>${name}</b><span>${t.share(format.number(total), format.percent(refused))}</span></div>
      <div>${ownMarkup(bars(data, { columns: DAYS, colour: 'var(--c1)', label }))}</div>
      <div class="m" aria-hidden="true">${highest}</div>`;
  });
  const figures = usage.filter(({ key_id }) => used.some((key) => key.key_id === key_id));
  const count = (title: string, of: (each: KeyUsage) => number) => ({
    title,
    isNumber: true,
    cell: (each: KeyUsage) => format.number(of(each)),
  });
  const columns = [
    { title: texts.common.day, cell: ({ day }: KeyUsage) => format.day(day) },
    {
      title: t.name,
      cell: ({ key_id }: KeyUsage) => nameOf(visit, used.find((key) => key.key_id === key_id) ?? (used[0] as ApiKey)),
    },
    count(t.succeeded, ({ succeeded }) => succeeded),
    count(t.refused, ({ refused: value }) => value),
    count(t.throttled, ({ throttled }) => throttled),
    count(t.failed, ({ failed }) => failed),
  ];
  return panel(
    html`<figure class="p">
      <div class="mult">
        ${rows}
        <div class="ax"><span>${dayName(from)}</span><span>${dayName(today)}</span></div>
      </div>
      <figcaption>${t.late}</figcaption>
    </figure>`,
    html`<details class="data">
      <summary>${texts.common.figures}</summary>
      ${table(texts.common.figures, columns, figures, t.noRequests)}
    </details>`,
  );
}

/** Marks the form as used and rejects a second use: a reload would otherwise repeat the action. */
export async function usedOnce({ form: given, services, account }: AccountVisit): Promise<void> {
  const once = given.get('once') ?? '';
  if (!/^[0-9a-f-]{36}$/.test(once)) throw new PageError(403, 'oldForm');
  if (!(await services.sessions.useOnce(`form ${account.id} ${once}`, ONCE_SECONDS))) throw new PageError(409, 'usedForm');
}

export async function postKey(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given } = visit;
  const name = (given.get('name') ?? '').trim();
  if (name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    return getKeys(visit, { name, errors: { name: texts.keys.nameError } });
  const again = stepUpNeeded(visit, at(visit, '/keys'));
  if (again !== undefined) return again;
  await usedOnce(visit);
  try {
    const { key } = await visit.admin.createKey({ scope: 'read', name });
    return await newKeyPage(visit, { key, name, scope: 'read', back: at(visit, '/keys') });
  } catch (error) {
    return getKeys(visit, {
      name,
      errors: { name: rejection(visit, error, { conflict: texts.keys.nameTaken, invalid: texts.keys.nameError }) },
    });
  }
}

interface NewKey {
  readonly key: string;
  readonly name: string;
  readonly scope: string;
  readonly back: string;
}

/** The only response that contains the key. */
export async function newKeyPage({ texts }: AccountVisit, { key, name, scope, back }: NewKey): Promise<Reply> {
  const { keys: t } = texts;
  const box = html`<p>${t.copyText}</p>
    <div class="key">
      <output id="new-key" aria-label="${t.newKey}">${key}</output
      ><button type="button" hidden data-copy="new-key" data-copied="${t.copied}">${t.copy}</button>
    </div>
    <p class="small muted">${scope === 'read' ? t.tryRead : t.tryImport}</p>
    <p class="row"><a class="btn primary" href="${back}">${t.stored}</a></p>`;
  const body = html`${head(t.newKey)}${note('good', t.copyNow(name), box, { isFocused: true })}`;
  return { page: { title: t.newKey, section: scope === 'read' ? 'keys' : 'integration', body } };
}

async function findKey(visit: AccountVisit): Promise<ApiKey> {
  const { keys } = await visit.admin.listKeys({});
  const key = keys.find(({ key_id }) => key_id === visit.params['key']);
  if (key === undefined || !isActive(key)) throw notFoundPage();
  return key;
}

const backOf = (visit: AccountVisit, { scope }: ApiKey): string => at(visit, scope === 'read' ? '/keys' : '/integration');

export const graceChoices = ({ texts }: AccountVisit) => GRACES.map((value) => ({ value, text: texts.keys.graces[value] }));

export function readGrace({ form: given }: AccountVisit): (typeof GRACES)[number] | undefined {
  return GRACES.find((each) => each === given.get('grace'));
}

export async function getRotate(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, account } = visit;
  const { keys: t } = texts;
  const key = await findKey(visit);
  const path = at(visit, `/keys/${key.key_id}/rotate`);
  const back = backOf(visit, key);
  const fields = html`<input type="hidden" name="once" value="${uuidv4()}" />
    ${choiceField('grace', { type: 'radio', label: t.oldKeyEnds, values: [readGrace(visit) ?? '86400'], choices: graceChoices(visit) })}
    ${textField('confirm', { label: t.confirmNow(account.name), hint: t.confirmNowHint, error: errors['confirm'] })}
    ${foot(t.rotate, { cancel: { path: back, text: texts.common.cancel } })}`;
  const title = t.rotateTitle(nameOf(visit, key));
  const body = html`${head(title, { lead: t.rotateLead, crumb: { path: back, text: t.title } })}${errorSummary(visit, errors)}${form(visit, path, fields)}`;
  return {
    page: {
      title,
      section: key.scope === 'read' ? 'keys' : 'integration',
      status: Object.keys(errors).length > 0 ? 422 : 200,
      body,
    },
  };
}

export async function postRotate(visit: AccountVisit): Promise<Reply> {
  const { texts, account } = visit;
  const key = await findKey(visit);
  const grace = readGrace(visit) ?? '86400';
  if (grace === '0' && !isTyped(visit, account.name)) return getRotate(visit, { confirm: texts.form.notTyped(account.name) });
  const again = stepUpNeeded(visit, at(visit, `/keys/${key.key_id}/rotate`));
  if (again !== undefined) return again;
  await usedOnce(visit);
  const created = await visit.admin.rotateKey({ key_id: key.key_id, grace_seconds: Number(grace) });
  return newKeyPage(visit, { key: created.key, name: nameOf(visit, key), scope: key.scope, back: backOf(visit, key) });
}

// Revoking a key in use requires typing its name, or the account's name for the import key.
const confirmation = (visit: AccountVisit, key: ApiKey): string | undefined => {
  if (key.scope !== 'read') return visit.account.name;
  const isUsed = key.last_used_at != null && Date.now() - Date.parse(key.last_used_at) < RECENT_MS;
  return isUsed ? (key.name ?? key.prefix) : undefined;
};

export async function getRevoke(visit: AccountVisit, error?: string): Promise<Reply> {
  const { texts } = visit;
  const { keys: t } = texts;
  const key = await findKey(visit);
  const path = at(visit, `/keys/${key.key_id}/revoke`);
  const typed = confirmation(visit, key);
  const title = t.revokeTitle(nameOf(visit, key));
  const question =
    typed === undefined
      ? html`<p class="pad">${t.revokeText}</p>`
      : textField('confirm', { label: texts.form.type(typed, t.revoke), hint: t.revokeText, error });
  const back = backOf(visit, key);
  const body = html`${head(title, { crumb: { path: back, text: t.title } })}${errorSummary(visit, error === undefined ? {} : { confirm: error })}
    <form class="panel" method="post" action="${path}">
      ${formFields(visit, path)}${question}${foot(t.revoke, { danger: true, cancel: { path: back, text: texts.common.cancel } })}
    </form>`;
  return {
    page: { title, section: key.scope === 'read' ? 'keys' : 'integration', status: error === undefined ? 200 : 422, body },
  };
}

export async function postRevoke(visit: AccountVisit): Promise<Reply> {
  const key = await findKey(visit);
  const typed = confirmation(visit, key);
  if (typed !== undefined && !isTyped(visit, typed)) return getRevoke(visit, visit.texts.form.notTyped(typed));
  const again = stepUpNeeded(visit, at(visit, `/keys/${key.key_id}/revoke`));
  if (again !== undefined) return again;
  await visit.admin.revokeKey({ key_id: key.key_id });
  return { redirect: `${backOf(visit, key)}?done=revoked` };
}
