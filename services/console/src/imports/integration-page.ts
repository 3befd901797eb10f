import ISO6391 from 'iso-639-1';
import { v4 as uuidv4 } from 'uuid';
import type { ApiKey, Integration } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import {
  at,
  choiceField,
  foot,
  form,
  note,
  orUnavailable,
  panel,
  section,
  selectField,
  tag,
  textField,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { formPage, optional, rejection } from '../views/form-results.ts';
import { changedFields, shownField, type Values } from '../views/shown-values.ts';
import { isTyped, stepUpNeeded } from '../sign-in/step-up.ts';
import { isActive, newKeyPage, requireFirstUse } from '../keys/new-key-page.ts';
import { latestImports } from './imports-page.ts';

const WRITE = 'employees:write';
const LATEST = 5;

export async function getIntegration(visit: AccountVisit, errors: FieldErrors = {}, extreme?: '0' | '100'): Promise<Reply> {
  const { texts } = visit;
  const { integration: t } = texts;
  const [integration, imports, keys, account] = await Promise.all([
    visit.admin.showIntegration({}),
    optional(visit.admin.listImports({ limit: LATEST })),
    optional(visit.admin.listKeys({})),
    optional(visit.admin.showAccount({})),
  ]);
  const body = html`${extreme && html`<div class="block">${note('warn', t.saveAgain, html`<p>${t.extremes[extreme]}</p>`, { isFocused: true })}</div>`}${
    integration.connected || imports?.imports.length !== 0
      ? section(
          texts.imports.title,
          orUnavailable(visit, imports, ({ imports: latest }) =>
            panel(
              latestImports(visit, latest),
              html`<div class="tfoot"><span></span><a href="${at(visit, '/imports')}">${texts.overview.allImports}</a></div>`,
            ),
          ),
        )
      : none
  }
  ${form(
    visit,
    at(visit, integration.connected ? '/integration' : '/integration/connect'),
    html`${extreme && html`<input type="hidden" name="extreme" value="${extreme}" />`}${connection(visit, integration, errors, account?.managed ?? undefined)}
    ${
      integration.connected &&
      section(
        t.importKey,
        orUnavailable(visit, keys, (list) => importKey(visit, list.keys)),
      )
    }`,
    'save',
  )}
  ${
    integration.connected
      ? section(
          t.disconnect,
          html`<div class="panel pad row">
            <p class="muted">${t.disconnectText}</p>
            <a class="btn danger" href="${at(visit, '/integration/disconnect')}">${t.disconnect}…</a>
          </div>`,
        )
      : none
  }`;
  return formPage(visit, t.title, { section: 'integration', lead: t.lead, errors }, body);
}

function connection(visit: AccountVisit, integration: Integration, errors: FieldErrors, managed: number | undefined): Html {
  const { texts, format, form: typed, isResumed } = visit;
  const { integration: t } = texts;
  const threshold = integration.deletion_threshold ?? '20';
  const expected = (isResumed ? typed.get('expected') : null) ?? (integration.connected ? threshold : '');
  const language = typed.get('language') ?? integration.default_language ?? visit.language;
  const atMost =
    managed === undefined
      ? none
      : html` ${t.thresholdEffect(format.number(managed), format.percentText(threshold), format.number(Math.floor((managed * Number(threshold)) / 100)))}`;
  const offered = integration.survey_languages?.codes ?? [];
  const choices = (offered.length === 0 ? ISO6391.getAllCodes() : [...new Set([...offered, language])])
    .filter((code) => ISO6391.validate(code))
    .map((code) => ({ value: code, text: `${format.languageName(code)} (${code})` }))
    .toSorted((one, other) => one.text.localeCompare(other.text, visit.language));
  const fields = html`<input type="hidden" name="expected" value="${expected}" />${shownField(visit, storedValues(integration))}
    ${textField('threshold', { label: t.threshold, hint: html`${t.thresholdHint}${atMost}`, value: typed.get('threshold') ?? localDecimal(visit, threshold), unit: '%', inputmode: 'decimal', error: errors['threshold'] })}
    ${selectField('language', { label: t.language, hint: t.languageHint, value: language, choices, error: errors['language'] })}
    ${choiceField('on-return', {
      type: 'radio',
      label: t.onReturn,
      hint: t.onReturnHint,
      values: [typed.get('on-return') ?? integration.on_return ?? 'keep'],
      choices: [
        { value: 'keep', text: t.onReturnKeep },
        { value: 'reset', text: t.onReturnReset },
      ],
    })}
    ${foot(integration.connected ? texts.common.save : t.connect, { aside: integration.connected ? t.appliesFrom : t.connectAside })}`;
  const state =
    integration.connected && integration.connected_at != null
      ? tag('on', t.connectedSince(format.day(integration.connected_at)))
      : tag('off', t.notConnected);
  return section(t.connection, panel(fields), { aside: state });
}

const localDecimal = ({ language }: AccountVisit, decimal: string): string =>
  language === 'de' ? decimal.replace('.', ',') : decimal;

function importKey(visit: AccountVisit, keys: readonly ApiKey[]): Html {
  const { texts, format } = visit;
  const { integration: t } = texts;
  const active = keys.filter((key) => key.scope === WRITE && isActive(key));
  if (active.length === 0)
    return html`<div class="panel">
      <input type="hidden" name="once" value="${uuidv4()}" />
      <div class="set">
        <div>
          <b>${t.noKey}</b>
          <p>${t.noKeyText}</p>
        </div>
        <div><button name="action" value="key">${t.createKey}</button></div>
      </div>
    </div>`;
  return panel(
    // Bounded: the active keys of an account, at most 20.
    ...active.map(
      (key) =>
        html`<div class="set">
          <div>
            <code>${key.prefix}…</code>
            <p>${t.importKeyText}</p>
          </div>
          <div>
            ${key.ends_at == null ? none : html`${tag('warn', texts.keys.ends(format.time(key.ends_at)))}<br />`}<span
              class="muted"
              >${texts.keys.made(format.day(key.created_at))};
              ${key.last_used_at == null ? texts.keys.neverUsed : texts.keys.used(format.time(key.last_used_at))}</span
            >
            <div class="row">
              <a class="btn" href="${at(visit, `/keys/${key.key_id}/rotate`)}">${t.replace}…</a
              ><a class="btn danger" href="${at(visit, `/keys/${key.key_id}/revoke`)}">${texts.keys.revoke}…</a>
            </div>
          </div>
        </div>`,
    ),
  );
}

const storedValues = ({ default_language: language, on_return: onReturn }: Integration): Values => ({
  language: [language ?? ''],
  'on-return': [onReturn ?? 'keep'],
});

const THRESHOLD = /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/;

interface ReadSettings {
  readonly threshold: string;
  readonly language: string;
  readonly onReturn: string;
  readonly errors: Record<string, string>;
}

function readSettings(visit: AccountVisit): ReadSettings {
  const { texts, form } = visit;
  const typed = (form.get('threshold') ?? '').trim();
  // German decimals: 12,5.
  const threshold = visit.language === 'de' ? typed.replace(',', '.') : typed;
  const language = form.get('language') ?? '';
  const errors: Record<string, string> = {};
  if (!THRESHOLD.test(threshold)) errors['threshold'] = texts.integration.thresholdError;
  if (!ISO6391.validate(language)) errors['language'] = texts.integration.languageError;
  const onReturn = form.get('on-return') === 'reset' ? 'reset' : 'keep';
  return { threshold, language, onReturn, errors };
}

// At 0 % no import is applied in which anybody is missing, at 100 % none is cancelled: asked once.
function extremeToAsk({ form }: AccountVisit, threshold: string): '0' | '100' | undefined {
  const extreme = Number(threshold) === 0 ? '0' : Number(threshold) === 100 ? '100' : undefined;
  const isKept = form.get('expected') !== '' && Number(form.get('expected')) === Number(threshold);
  return isKept || form.get('extreme') === extreme ? undefined : extreme;
}

/** Saves what was changed, and creates the import key if its button was pressed. */
export async function postIntegration(visit: AccountVisit): Promise<Reply> {
  const { threshold, language, onReturn, errors } = readSettings(visit);
  if (Object.keys(errors).length > 0) return getIntegration(visit, errors);
  const extreme = extremeToAsk(visit, threshold);
  if (extreme !== undefined) return getIntegration(visit, {}, extreme);
  const expected = visit.form.get('expected') ?? '';
  const stored = storedValues(await visit.admin.showIntegration({}));
  const { changed, conflicting } = changedFields(visit, stored, { language: [language], 'on-return': [onReturn] });
  if (conflicting.has('language'))
    return getIntegration(visit, { language: visit.texts.topics.changedTo((stored['language'] ?? []).join()) });
  const isKey = visit.form.get('action') === 'key';
  const again = isKey ? await stepUpNeeded(visit, at(visit, '/integration')) : undefined;
  if (again !== undefined) return again;
  if (isKey) await requireFirstUse(visit);
  try {
    await visit.admin.connectIntegration({
      ...(changed.has('language') && { default_language: language }),
      deletion_threshold: threshold,
      ...(changed.has('on-return') && { on_return: onReturn }),
      expected_threshold: expected === '' ? undefined : expected,
    });
  } catch (error) {
    const { connected, deletion_threshold: now = '' } = await visit.admin.showIntegration({});
    const refusals = connected ? { conflict: visit.texts.integration.thresholdConflict(now ?? '', expected) } : {};
    return getIntegration(visit, { threshold: rejection(visit, error, refusals) });
  }
  if (!isKey) return { redirect: at(visit, '/integration?done=saved') };
  const { key } = await visit.admin.createKey({ scope: WRITE });
  return newKeyPage(visit, { key, name: visit.texts.integration.importKey, scope: WRITE, back: at(visit, '/integration') });
}

/** Connects, then continues to the key. When that fails, the page says that there is no key yet. */
export async function postConnect(visit: AccountVisit): Promise<Reply> {
  const { threshold, language, onReturn, errors } = readSettings(visit);
  if (Object.keys(errors).length > 0) return getIntegration(visit, errors);
  const extreme = extremeToAsk(visit, threshold);
  if (extreme !== undefined) return getIntegration(visit, {}, extreme);
  await visit.admin.connectIntegration({ default_language: language, deletion_threshold: threshold, on_return: onReturn });
  return { redirect: at(visit, '/integration?done=connected') };
}

export async function getDisconnect(visit: AccountVisit, error?: string): Promise<Reply> {
  const { texts, account } = visit;
  const { integration: t } = texts;
  const path = at(visit, '/integration/disconnect');
  const fields = html`${textField('confirm', { label: texts.form.type(account.name), hint: t.disconnectText, value: visit.form.get('confirm') ?? '', error })}${foot(t.disconnect, { danger: true, cancel: { path: at(visit, '/integration'), text: texts.common.cancel } })}`;
  const crumb = { path: at(visit, '/integration'), text: t.title };
  return formPage(visit, t.disconnect, { section: 'integration', crumb, errors: { confirm: error } }, form(visit, path, fields));
}

export async function postDisconnect(visit: AccountVisit): Promise<Reply> {
  const { texts, account } = visit;
  if (!(await isTyped(visit, account.name))) return getDisconnect(visit, texts.form.notTyped(account.name));
  const again = await stepUpNeeded(visit, at(visit, '/integration/disconnect'));
  if (again !== undefined) return again;
  await visit.admin.disconnectIntegration({});
  return { redirect: at(visit, '/integration?done=disconnected') };
}
