import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { EmployeeKey } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { at, foot, head, panel, selectField, textField, type FieldErrors } from '../views/parts.ts';
import { html } from '../views/html.ts';
import type { AccountVisit, Reply } from '../visit.ts';

const KEYS = ['import_id', 'email', 'employee_id'] as const;
type Key = (typeof KEYS)[number];

/** Finds one employee and redirects to their page, so that its address contains only the id. */
export async function getEmployees(visit: AccountVisit): Promise<Reply> {
  if (!visit.session.isOperator) throw notFoundPage();
  const value = (visit.query.get('value') ?? '').trim();
  if (value === '') return searchPage(visit, {});
  try {
    const key = keyOf(chosenKey(visit), value);
    const { employee_id } = await visit.admin.eraseEmployee({ employee: key, dry_run: true, may_return: false });
    return { redirect: at(visit, `/operate/employees/${employee_id}`) };
  } catch (error) {
    return searchPage(visit, { value: notFoundText(visit, error) });
  }
}

const chosenKey = ({ query }: AccountVisit): Key => KEYS.find((each) => each === query.get('by')) ?? 'import_id';

function keyOf(by: Key, value: string): EmployeeKey {
  return {
    employee_id: by === 'employee_id' ? Number(/^\d{1,15}$/.test(value) ? value : 0) : null,
    import_id: by === 'import_id' ? value : null,
    email: by === 'email' ? value : null,
  };
}

function notFoundText({ texts }: AccountVisit, error: unknown): string {
  if (!(error instanceof ApplicationError)) throw error;
  if (error.code === 'conflict') return texts.employee.several;
  if (error.code === 'not_found' || error.code === 'invalid') return texts.employee.none;
  throw error;
}

function searchPage(visit: AccountVisit, errors: FieldErrors): Reply {
  const { texts, query } = visit;
  const { employee: t } = texts;
  const choices = KEYS.map((value) => ({ value, text: t.keys[value] }));
  const search = html`<form role="search" aria-label="${t.title}">
    ${selectField('by', { label: t.by, value: chosenKey(visit), choices })}
    ${textField('value', { label: t.value, value: query.get('value') ?? '', error: errors['value'] })}
    ${foot(texts.common.search)}
  </form>`;
  const crumb = { path: at(visit, '/operate'), text: texts.operate.inAccount };
  const body = html`${head(t.title, { lead: t.lead, crumb })}${panel(search)}`;
  return { page: { title: t.title, section: 'operate', status: Object.keys(errors).length > 0 ? 422 : 200, body } };
}
