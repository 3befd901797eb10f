import type { ApiKey } from '@survey/proto/admin/v1/admin.ts';
import { notFoundPage, PageError } from '../page-error.ts';
import { html, type Html } from '../views/html.ts';
import { at, choiceField, head, note } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';

const ONCE_SECONDS = 86_400;
const GRACES = ['0', '3600', '86400', '604800'] as const;
type Grace = (typeof GRACES)[number];

export function isActive({ revoked_at, ends_at }: ApiKey): boolean {
  return revoked_at == null && (ends_at == null || Date.parse(ends_at) > Date.now());
}

export const nameOf = ({ texts }: AccountVisit, { name, prefix }: ApiKey): string => name ?? `${texts.keys.unnamed} ${prefix}`;

/** Renders the choice of the time for which the key remains valid, in seconds. */
export function graceField(visit: AccountVisit, label: string, byDefault: Grace): Html {
  const choices = GRACES.map((value) => ({ value, text: visit.texts.keys.graces[value] }));
  return choiceField('grace', { type: 'radio', label, values: [graceOf(visit, byDefault)], choices });
}

export function graceOf({ form }: AccountVisit, byDefault: Grace): Grace {
  return GRACES.find((each) => each === form.get('grace')) ?? byDefault;
}

/** Marks the form as used and rejects a second use: a reload would otherwise repeat the action. */
export async function requireFirstUse({ form: typed, services, account }: AccountVisit): Promise<void> {
  const once = typed.get('once') ?? '';
  if (!/^[0-9a-f-]{36}$/.test(once)) throw new PageError(403, 'oldForm');
  if (!(await services.sessions.useOnce(`form ${account.id} ${once}`, ONCE_SECONDS))) throw new PageError(409, 'usedForm');
}

interface NewKey {
  readonly key: string;
  readonly name: string;
  readonly scope: string;
  readonly back: string;
}

const WRITE = 'employees:write';
const EXAMPLES: Readonly<Record<string, string>> = { 'read:scores': '/v1/questions', 'read:texts': '/v1/text_responses' };

/** Returns the name of the menu entry under which keys of this scope are managed. */
export const sectionOf = ({ scope }: { readonly scope: string }): 'integration' | 'keys' =>
  scope === WRITE ? 'integration' : 'keys';

function commandOf(apiUrl: string, key: string, scope: string): string {
  const start = `curl --header 'X-Api-Key: ${key}'`;
  if (scope !== WRITE) return `${start} '${apiUrl}${EXAMPLES[scope] ?? '/v1/employees'}?limit=1'`;
  return `${start} --header 'Content-Type: application/json' --data-binary @employees.json '${apiUrl}/v1/employees/imports'`;
}

/** The only response that contains the key. */
export async function newKeyPage({ texts, services }: AccountVisit, { key, name, scope, back }: NewKey): Promise<Reply> {
  const { keys: t } = texts;
  const copy = (id: string): Html =>
    html`<button type="button" hidden data-copy="${id}" data-copied="${t.copied}">${t.copy}</button>`;
  const { apiUrl } = services;
  const box = html`<p>${t.copyText}</p>
    <div class="key"><output id="new-key" aria-label="${t.newKey}">${key}</output>${copy('new-key')}</div>
    <p>${scope === WRITE ? t.tryImport : t.tryRead}</p>
    ${apiUrl !== undefined && html`<div class="key"><code id="command">${commandOf(apiUrl, key, scope)}</code>${copy('command')}</div>`}
    <p class="row"><a class="btn primary" href="${back}">${scope === WRITE ? t.backToIntegration : t.backToKeys}</a></p>`;
  const body = html`${head(t.newKey)}${note('good', t.copyNow(name), box, { isFocused: true })}`;
  return { page: { title: t.newKey, section: sectionOf({ scope }), body } };
}

/** Returns the active key that the path names. */
export async function findKey(visit: AccountVisit): Promise<ApiKey> {
  const { keys } = await visit.admin.listKeys({});
  const key = keys.find(({ key_id }) => key_id === visit.params['key']);
  if (key === undefined || !isActive(key)) throw notFoundPage();
  return key;
}

export const backOf = (visit: AccountVisit, key: ApiKey): string => at(visit, `/${sectionOf(key)}`);
