import type { Access, VisibleEmployee } from '@survey/rpc/gen/survey/admin/v1/admin.ts';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, definitions, head, panel, section, table } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';

const SHOWN = 50;

/** Shows an operator what an employee was granted, and which employees they may see. */
export async function getEmployeeAccess(visit: AccountVisit): Promise<Reply> {
  const { texts, session, query } = visit;
  if (!session.isOperator) throw notFoundPage();
  const { operate: t } = texts;
  const import_id = (query.get('import_id') ?? '').trim();
  const found = import_id === '' ? undefined : await findAccess(visit, import_id);
  const search = html`<form class="bar" role="search" aria-label="${t.access}">
    <label class="sr" for="import_id">import_id</label
    ><input id="import_id" type="search" name="import_id" value="${import_id}" placeholder="import_id" /><button>
      ${texts.common.show}
    </button>
  </form>`;
  const missing = import_id !== '' && found === undefined ? html`<p class="pad muted">${t.noEmployee}</p>` : none;
  const body = html`${head(t.access, { lead: t.accessLead, crumb: { path: at(visit, '/operate'), text: t.inAccount } })}
  ${panel(search, missing)} ${found === undefined ? none : showAccess(visit, found)}`;
  return { page: { title: t.access, section: 'operate', body } };
}

async function findAccess(visit: AccountVisit, import_id: string): Promise<Access | undefined> {
  return visit.admin.showAccess({ import_id, limit: SHOWN }).catch((error: unknown) => {
    if (error instanceof ApplicationError && error.code === 'not_found') return undefined;
    throw error;
  });
}

function showAccess({ texts, format }: AccountVisit, access: Access): Html {
  const { operate: t } = texts;
  const { employee_id, role, is_deleted, all_data, grants, sees, sees_total } = access;
  const granted = all_data ? t.allData : grants.map(({ attribute, values }) => `${attribute}: ${format.list(values)}`).join('; ');
  return html`<div class="panel pad block">
      ${definitions([
        [t.employee, format.number(employee_id)],
        [t.role, `${role ?? '–'}${is_deleted ? `, ${t.offboarded}` : ''}`],
        [t.grants, granted || '–'],
      ])}
    </div>
    ${section(
      t.sees(format.number(sees_total)),
      panel(
        table<VisibleEmployee>(
          t.employee,
          [
            { title: 'import_id', cell: ({ import_id }) => html`<span class="mono">${import_id ?? '–'}</span>` },
            { title: t.employee, isNumber: true, cell: (each) => format.number(each.employee_id) },
            { title: texts.imports.state, cell: (each) => (each.is_deleted ? t.offboarded : '') },
          ],
          sees,
          t.seesNobody,
        ),
        html`<div class="tfoot"><span>${texts.common.of(format.number(sees.length), format.number(sees_total))}</span></div>`,
      ),
    )}`;
}
