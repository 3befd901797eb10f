import type { ApiKey } from '@survey/proto/admin/v1/admin.ts';
import { v4 as uuidv4 } from 'uuid';
import { isTyped, stepUpNeeded } from '../sign-in/step-up.ts';
import { formPage } from '../views/form-results.ts';
import { html } from '../views/html.ts';
import { at, type FieldErrors, foot, form, textField } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { backOf, findKey, graceField, graceOf, nameOf, newKeyPage, sectionOf, requireFirstUse } from './new-key-page.ts';

const DAY = '86400';

export async function getRotate(visit: AccountVisit, errors: FieldErrors = {}): Promise<Reply> {
  const { texts, account } = visit;
  const { keys: t } = texts;
  const key = await findKey(visit);
  const path = at(visit, `/keys/${key.key_id}/rotate`);
  const back = backOf(visit, key);
  const fields = html`<input type="hidden" name="once" value="${uuidv4()}" /> ${graceField(visit, t.oldKeyEnds, DAY)}
    ${textField('confirm', { label: t.confirmNow(account.name), hint: t.confirmNowHint, value: visit.form.get('confirm') ?? '', error: errors['confirm'] })}
    ${foot(t.rotate, { cancel: { path: back, text: texts.common.cancel } })}`;
  const title = t.rotateTitle(nameOf(visit, key));
  const options = { section: sectionOf(key), lead: t.rotateLead, crumb: { path: back, text: t.title }, errors };
  return formPage(visit, title, options, form(visit, path, fields));
}

export async function postRotate(visit: AccountVisit): Promise<Reply> {
  const { texts, account } = visit;
  const key = await findKey(visit);
  const grace = graceOf(visit, DAY);
  if (grace === '0' && !(await isTyped(visit, account.name)))
    return getRotate(visit, { confirm: texts.form.notTyped(account.name) });
  const again = await stepUpNeeded(visit, at(visit, `/keys/${key.key_id}/rotate`));
  if (again !== undefined) return again;
  await requireFirstUse(visit);
  const created = await visit.admin.rotateKey({ key_id: key.key_id, grace_seconds: Number(grace) });
  return newKeyPage(visit, { key: created.key, name: nameOf(visit, key), scope: key.scope, back: backOf(visit, key) });
}

// The name is typed whether or not the key seems to be in use: its last use is known late.
const confirmation = ({ account }: AccountVisit, { scope, name, prefix }: ApiKey): string =>
  sectionOf({ scope }) === 'keys' ? (name ?? prefix) : account.name;

export async function getRevoke(visit: AccountVisit, error?: string): Promise<Reply> {
  const { texts } = visit;
  const { keys: t } = texts;
  const key = await findKey(visit);
  const path = at(visit, `/keys/${key.key_id}/revoke`);
  const typed = confirmation(visit, key);
  const title = t.revokeTitle(nameOf(visit, key));
  const value = visit.form.get('confirm') ?? '';
  const question = textField('confirm', { label: texts.form.type(typed), hint: t.revokeText, value, error });
  const back = backOf(visit, key);
  const fields = html`${graceField(visit, t.keyEnds, '0')}${question}${foot(t.revoke, { danger: true, cancel: { path: back, text: texts.common.cancel } })}`;
  const options = { section: sectionOf(key), crumb: { path: back, text: t.title }, errors: { confirm: error } };
  return formPage(visit, title, options, form(visit, path, fields));
}

export async function postRevoke(visit: AccountVisit): Promise<Reply> {
  const key = await findKey(visit);
  const typed = confirmation(visit, key);
  if (!(await isTyped(visit, typed))) return getRevoke(visit, visit.texts.form.notTyped(typed));
  const again = await stepUpNeeded(visit, at(visit, `/keys/${key.key_id}/revoke`));
  if (again !== undefined) return again;
  const grace = graceOf(visit, '0');
  await visit.admin.revokeKey({ key_id: key.key_id, grace_seconds: Number(grace) });
  return { redirect: `${backOf(visit, key)}?done=${grace === '0' ? 'revoked' : 'saved'}` };
}
