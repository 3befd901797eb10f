import { v4 as uuidv4 } from 'uuid';
import { html } from '../views/html.ts';
import { at, errorSummary, foot, form, head, textField, type FieldErrors } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { isTyped, stepUpNeeded } from './common.ts';
import { backOf, findKey, graceField, graceOf, nameOf, newKeyPage, usedOnce } from './key.ts';

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
  const grace = graceOf(visit, DAY);
  if (grace === '0' && !(await isTyped(visit, account.name)))
    return getRotate(visit, { confirm: texts.form.notTyped(account.name) });
  const again = await stepUpNeeded(visit, at(visit, `/keys/${key.key_id}/rotate`));
  if (again !== undefined) return again;
  await usedOnce(visit);
  const created = await visit.admin.rotateKey({ key_id: key.key_id, grace_seconds: Number(grace) });
  return newKeyPage(visit, { key: created.key, name: nameOf(visit, key), scope: key.scope, back: backOf(visit, key) });
}
