import { v4 as uuidv4 } from 'uuid';
import { isBlank } from '@survey/formats/is-blank.ts';
import { READ_SCOPES } from '@survey/formats/api-key.ts';
import type { ApiKey, KeyUsage, Settings } from '@survey/proto/admin/v1/admin.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { actorText } from '../account/audit-page.ts';
import { DAY_MS } from '../views/format.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  form,
  foot,
  orUnavailable,
  panel,
  section,
  table,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, optional, rejection } from '../views/form-results.ts';
import { stepUpNeeded } from '../sign-in/step-up.ts';
import { isActive, nameOf, newKeyPage, requireFirstUse } from './new-key-page.ts';
import { bars } from '../views/bars.ts';

const DAYS = 14;
const MAX_NAME = 60;
const SOON_MS = 14 * DAY_MS;

export async function getKeys(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts } = visit;
  const { keys: t } = texts;
  const [{ keys }, settings, usage] = await Promise.all([
    visit.admin.listKeys({}),
    visit.admin.showSettings({}),
    optional(visit.admin.listUsage({ days: DAYS })),
  ]);
  const newest = keys.toReversed();
  const shown = [...newest.filter(isActive), ...newest.filter((key) => !isActive(key))];
  const body = html`${panel(keyTable(visit, shown, { usage: usage?.usage ?? [], maxDays: settings.max_key_days ?? undefined }))}
  ${section(
    t.requests,
    orUnavailable(visit, usage, (requests) => usagePlot(visit, shown, requests.usage, DAYS)),
    { aside: t.requestsAside(DAYS) },
  )}
  ${creationForm(visit, settings, errors)}`;
  const actions = html`<a class="btn primary" href="#new">${t.create}</a>`;
  return formPage(visit, t.title, { section: 'keys', lead: t.lead, actions, errors }, body);
}

function creationForm(visit: AccountVisit, { max_key_days: maxDays }: Settings, errors: FieldErrors): Html {
  const { texts, form: typed, format } = visit;
  const { keys: t } = texts;
  const latest = maxDays == null ? '' : new Date(Date.now() + maxDays * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const fields = html`<input type="hidden" name="once" value="${uuidv4()}" />
    ${textField('name', { label: t.name, hint: t.nameHint, value: typed.get('name') ?? '', maxLength: MAX_NAME, error: errors['name'] })}
    ${choiceField('scope', { type: 'radio', label: t.canRead, hint: t.canReadText, values: typed.getAll('scope'), error: errors['scope'], choices: READ_SCOPES.map((value) => ({ value, text: html`${t.scopes[value]} <span class="scope">${value}</span>` })) })}
    ${textField('expires', { type: 'date', label: t.lastDay, hint: maxDays == null ? t.lastDayHint : t.lastDayLimit(format.number(maxDays)), value: typed.get('expires') ?? latest, error: errors['expires'] })}
    ${foot(t.create)}`;
  const aside = html`<a href="${at(visit, '/settings#max_days')}">${t.limit}</a>`;
  return section(t.create, form(visit, at(visit, '/keys'), fields), { id: 'new', aside });
}

const PLOTTED_KEYS = 8;

/** Returns the number of requests. */
const sumOf = (usage: readonly KeyUsage[]): number =>
  usage.reduce((total, { succeeded, rejected, throttled, failed }) => total + succeeded + rejected + throttled + failed, 0);

/** Renders the requests of the keys by day. */
function usagePlot(visit: AccountVisit, keys: readonly ApiKey[], usage: readonly KeyUsage[], days: number): Html {
  const { texts, format } = visit;
  const { keys: t } = texts;
  const today = Math.floor(Date.now() / DAY_MS);
  const from = today - days + 1;
  const dayName = (day: number): string => format.shortDay(new Date(day * DAY_MS).toISOString());
  const used = keys.filter(({ key_id }) => usage.some((each) => each.key_id === key_id)).slice(0, PLOTTED_KEYS);
  if (used.length === 0) return panel(html`<p class="pad muted">${t.noRequests}</p>`);
  const rows = used.map((key) => {
    const daysOfKey = usage.filter(({ key_id }) => key_id === key.key_id);
    const data = daysOfKey.map((each) => {
      const x = Math.floor(Date.parse(each.day) / DAY_MS) - from;
      return { x, value: sumOf([each]), title: `${dayName(from + x)}: ${format.number(sumOf([each]))}` };
    });
    const total = sumOf(daysOfKey);
    const refused = total - daysOfKey.reduce((count, { succeeded }) => count + succeeded, 0);
    // Bounded: the days that are plotted.
    const highest = format.number(Math.max(0, ...data.map(({ value }) => value)));
    const name = nameOf(visit, key);
    const label = texts.imports.plotLabel(name, dayName(from), dayName(today), highest);
    return html`<div class="l"><b>${name}</b><span>${t.share(format.number(total), format.number(refused))}</span></div>
      <div>${bars(data, { columns: days, colour: 'var(--c1)', label })}</div>
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
    count(t.rejected, ({ rejected: value }) => value),
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

interface TableOptions {
  readonly usage: readonly KeyUsage[];
  readonly maxDays: number | undefined;
}

function keyTable(visit: AccountVisit, keys: readonly ApiKey[], { usage, maxDays }: TableOptions): Html {
  const { texts, format } = visit;
  const { keys: t } = texts;
  const usageOf = ({ key_id }: ApiKey): KeyUsage[] => usage.filter((each) => each.key_id === key_id);
  const note = (text: string | false): Html | false => text !== false && html`<br /><span class="small warn">${text}</span>`;
  const deprecatedCalls = (key: ApiKey): number => usageOf(key).reduce((total, { deprecated }) => total + deprecated, 0);
  return table<ApiKey>(
    t.title,
    [
      {
        title: t.name,
        cell: (key) =>
          html`<bdi>${nameOf(visit, key)}</bdi>${key.name != null && html`<br /><code class="muted nw">${key.prefix}…</code>`}`,
      },
      { title: t.scope, cell: ({ scope }) => html`<span class="scope">${scope}</span>` },
      {
        title: texts.imports.state,
        cell: (key) =>
          html`${stateTag(visit, key)}${note(maxDays !== undefined && isActive(key) && key.ends_at == null && t.withoutEnd)}${note(deprecatedCalls(key) > 0 && t.deprecated(format.number(deprecatedCalls(key))))}`,
      },
      {
        title: t.created,
        isOptional: true,
        cell: ({ created_at, created_by }) =>
          `${format.day(created_at)}${created_by == null ? '' : `, ${actorText(texts, created_by)}`}`,
      },
      { title: t.lastUsed, cell: ({ last_used_at }) => (last_used_at == null ? t.neverUsed : format.time(last_used_at)) },
      { title: t.requestsShort(DAYS), isNumber: true, isOptional: true, cell: (key) => format.number(sumOf(usageOf(key))) },
      { title: texts.common.actions, isNumber: true, isAction: true, cell: (key) => actions(visit, key, keys) },
    ],
    keys,
    t.none,
  );
}

function stateTag({ texts, format }: AccountVisit, key: ApiKey): Html {
  if (key.revoked_at != null) return tag('off', texts.keys.revoked(format.day(key.revoked_at)));
  if (key.ends_at == null) return tag('on', texts.keys.active);
  if (!isActive(key)) return tag('off', texts.keys.ended(format.time(key.ends_at)));
  const isSoon = Date.parse(key.ends_at) - Date.now() < SOON_MS;
  return tag(isSoon ? 'warn' : 'on', texts.keys.ends(format.time(key.ends_at)));
}

function actions(visit: AccountVisit, key: ApiKey, keys: readonly ApiKey[]): Html {
  const { texts } = visit;
  if (!isActive(key)) return none;
  // A key that was rotated has a successor of the same name.
  const isReplaced = keys.some(
    (other) => other !== key && isActive(other) && other.scope === key.scope && other.name === key.name,
  );
  const rotate =
    key.ends_at != null && isReplaced
      ? none
      : html`<a class="btn link" href="${at(visit, `/keys/${key.key_id}/rotate`)}">${texts.keys.rotate}…</a> `;
  return html`<details class="more">
    <summary><span aria-hidden="true">⋯</span><span class="sr">${texts.common.actions}: ${nameOf(visit, key)}</span></summary>
    ${rotate}<a class="btn link danger" href="${at(visit, `/keys/${key.key_id}/revoke`)}">${texts.keys.revoke}…</a>
  </details>`;
}

export async function postKey(visit: AccountVisit): Promise<Reply> {
  const { texts, form: typed } = visit;
  const { keys: t } = texts;
  const name = (typed.get('name') ?? '').trim();
  const scope = READ_SCOPES.find((each) => each === typed.get('scope'));
  const expires_on = typed.get('expires') || undefined;
  if (isBlank(name) || name.length > MAX_NAME || /\p{Cc}/u.test(name)) return getKeys(visit, { name: t.nameError });
  if (scope === undefined) return getKeys(visit, { scope: t.scopeError });
  const again = await stepUpNeeded(visit, at(visit, '/keys'));
  if (again !== undefined) return again;
  await requireFirstUse(visit);
  try {
    const { key } = await visit.admin.createKey({ scope, name, expires_on });
    return await newKeyPage(visit, { key, name, scope, back: at(visit, '/keys') });
  } catch (error) {
    const isAboutDay = error instanceof ApplicationError && error.code === 'invalid';
    const text = rejection(visit, error, { conflict: t.nameTaken, invalid: t.lastDayError });
    return getKeys(visit, { [isAboutDay ? 'expires' : 'name']: text });
  }
}
