import { v4 as uuidv4 } from 'uuid';
import type { ApiKey, KeyUsage } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  errorSummary,
  form,
  foot,
  head,
  orUnavailable,
  panel,
  section,
  table,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { doneNote, optional, rejection } from '../views/form-results.ts';
import { stepUpNeeded } from '../session/step-up.ts';
import { isActive, nameOf, newKeyPage, usedOnce } from './new-key-page.ts';
import { sumOf, usagePlot } from './key-usage-plot.ts';

const DAYS = 14;
const MAX_NAME = 60;

interface Typed {
  readonly name?: string;
  readonly errors?: FieldErrors;
}

export async function getKeys(
  visit: AccountVisit,
  { name = visit.form.get('name') ?? '', errors = {} }: Typed = {},
): Promise<Reply> {
  const { texts } = visit;
  const { keys: t } = texts;
  const [{ keys }, usage] = await Promise.all([visit.admin.listKeys({}), optional(visit.admin.listUsage({ days: DAYS }))]);
  const reading = keys.filter(({ scope }) => scope === 'read').toReversed();
  const writing = keys.find((key) => key.scope === 'employees:write' && isActive(key));
  const body = html`${head(t.title, { lead: html`${t.lead} <a href="${at(visit, '/integration')}">${texts.nav.integration}</a>` })}${errorSummary(visit, errors)}${doneNote(visit)}
  ${panel(keyTable(visit, reading, usage?.usage ?? []))}
  ${writing && html`<p class="block muted">${t.importKey} <code>${writing.prefix}…</code>: <a href="${at(visit, '/integration')}">${texts.nav.integration}</a></p>`}
  ${section(
    t.requests,
    orUnavailable(visit, usage, (found) => usagePlot(visit, reading, found.usage, DAYS)),
    { aside: t.requestsAside(DAYS) },
  )}
  ${creation(visit, name, errors)}`;
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
  const total = (keyId: string): number => sumOf(usage.filter(({ key_id }) => key_id === keyId));
  return table<ApiKey>(
    t.title,
    [
      {
        title: t.name,
        cell: (key) =>
          html`<bdi>${nameOf(visit, key)}</bdi> <code class="only muted">${key.prefix}…</code><br />${stateTag(visit, key)}`,
      },
      { title: t.key, isOptional: true, cell: ({ prefix }) => html`<code class="nw">${prefix}…</code>` },
      {
        title: t.created,
        isOptional: true,
        cell: ({ created_at, created_by }) => `${format.day(created_at)}${created_by == null ? '' : `, ${created_by}`}`,
      },
      { title: t.lastUsed, cell: ({ last_used_at }) => (last_used_at == null ? t.neverUsed : format.time(last_used_at)) },
      { title: t.requestsShort(DAYS), isNumber: true, isOptional: true, cell: ({ key_id }) => format.number(total(key_id)) },
      { title: texts.common.actions, isNumber: true, isAction: true, cell: (key) => actions(visit, key, keys) },
    ],
    keys,
    t.none,
  );
}

function stateTag({ texts, format }: AccountVisit, key: ApiKey): Html {
  if (key.revoked_at != null) return tag('off', texts.keys.revoked(format.day(key.revoked_at)));
  if (key.ends_at == null) return tag('on', texts.keys.active);
  return isActive(key)
    ? tag('warn', texts.keys.ends(format.time(key.ends_at)))
    : tag('off', texts.keys.ended(format.time(key.ends_at)));
}

function actions(visit: AccountVisit, key: ApiKey, keys: readonly ApiKey[]): Html {
  const { texts } = visit;
  if (!isActive(key)) return none;
  const what = html`<span class="sr"> ${nameOf(visit, key)}</span>`;
  // A key that was rotated has a successor of the same name.
  const isReplaced = keys.some((other) => other !== key && isActive(other) && other.name === key.name);
  const rotate =
    key.ends_at != null && isReplaced
      ? none
      : html`<a class="btn link" href="${at(visit, `/keys/${key.key_id}/rotate`)}">${texts.keys.rotate}…${what}</a> `;
  return html`${rotate}<a class="btn link danger" href="${at(visit, `/keys/${key.key_id}/revoke`)}"
      >${texts.keys.revoke}…${what}</a
    >`;
}

export async function postKey(visit: AccountVisit): Promise<Reply> {
  const { texts, form: given } = visit;
  const name = (given.get('name') ?? '').trim();
  if (name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    return getKeys(visit, { name, errors: { name: texts.keys.nameError } });
  const again = await stepUpNeeded(visit, at(visit, '/keys'));
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
