import { percentNextTo } from '@survey/formats/percent.ts';
import type { OffboardedEmployee } from '@survey/proto/common/v1/import_outcome.ts';
import type { ImportSummary, ListOffboardedResponse, SharedValue } from '@survey/proto/admin/v1/admin.ts';
import { html, type Html } from '../views/html.ts';
import {
  at,
  foot,
  form,
  listPanel,
  note,
  panel,
  section,
  table,
  textField,
  type Column,
  type FieldErrors,
} from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { integerIn, optional } from '../views/form-results.ts';
import { importUuid } from './import-parts.ts';

const PAGE = 20;
const NEWEST = 100;
const CSV_PAGE = 5_000;

/**
 * For imports cancelled only by the deletion threshold: the employees to offboard, their common
 * values, and the decision.
 */
export async function showCancelled(visit: AccountVisit, summary: ImportSummary, errors: FieldErrors): Promise<Html> {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const { deletion_threshold } = summary;
  const [offboarded, managed] = [summary.would_offboard ?? 0, summary.managed ?? 0];
  const leavers = await readLeavers(visit, summary);
  const atMost = Math.floor((managed * Number(deletion_threshold)) / 100);
  const share = format.percentText(percentNextTo(deletion_threshold ?? '0', offboarded, managed));
  const title = t.wouldOffboard(format.number(offboarded), format.number(managed), share);
  const canAllow = summary.can_allow_deletes === true;
  const text = html`<p>${t.thresholdIs(format.percentText(deletion_threshold ?? ''), format.number(atMost))}</p>
    ${canAllow && html`<p class="row"><a class="btn" href="#allow">${t.toAllow}</a><a class="btn" href="${at(visit, '/dry-run')}">${t.toDryRun}</a></p>`}`;
  return html`${note('bad', title, text, { isAlert: true })} ${leavers && sharedValueList(visit, leavers.shared)}
  ${canAllow ? allowForm(visit, summary, offboarded, errors) : section(t.ifLeft, panel(html`<p class="pad">${await whyTooLate(visit, summary)}</p>`))}
  ${section(t.ifNotLeft, html`<p>${t.ifNotLeftText} <a href="${at(visit, '/dry-run')}">${texts.nav.dryRun}</a></p>`)}
  ${showLeavers(visit, summary, t.whoWouldLeave, leavers)}`;
}

const searchOf = ({ query }: AccountVisit): string | undefined => query.get('offboarded')?.trim() || undefined;

/** Reads a page of the employees that an import has offboarded, or would have offboarded. */
export const readLeavers = (
  visit: AccountVisit,
  { import_uuid, state }: ImportSummary,
): Promise<ListOffboardedResponse | undefined> =>
  optional(
    visit.admin.listOffboarded({
      import_uuid,
      search: searchOf(visit),
      after: integerIn(visit.query, 'offboarded_after'),
      limit: PAGE,
      without_shared: state === 'applied',
    }),
  );

async function whyTooLate(visit: AccountVisit, { import_uuid, accepted_at }: ImportSummary): Promise<Html> {
  const { format } = visit;
  const { imports: t } = visit.texts;
  const { imports } = await visit.admin.listImports({ limit: NEWEST });
  const link = (each: ImportSummary): Html =>
    html`<a href="${at(visit, `/imports/${each.import_uuid}`)}">${t.importOf(format.time(each.accepted_at))}</a>`;
  const rerun = imports.find(({ rerun_of }) => rerun_of === import_uuid);
  if (rerun !== undefined) return html`${t.wasAllowed} ${link(rerun)}`;
  const newer = imports.findLast((each) => each.accepted_at > accepted_at);
  return newer === undefined ? html`${t.snapshotDeleted}` : html`${t.isOvertaken} ${link(newer)}`;
}

/** Renders that page, with a search and the list of all as CSV. */
export function showLeavers(
  visit: AccountVisit,
  { import_uuid }: ImportSummary,
  title: string,
  leavers: ListOffboardedResponse | undefined,
): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  if (leavers === undefined) return html`<p class="panel pad block muted">${texts.common.sectionUnavailable}</p>`;
  const { employees, total } = leavers;
  const search = searchOf(visit);
  const names = [...new Set(employees.flatMap(({ attributes }) => Object.keys(attributes)))].slice(0, 2);
  const last = employees.at(-1)?.employee_id;
  const next =
    employees.length === PAGE && last !== undefined
      ? new URLSearchParams({ offboarded: search ?? '', offboarded_after: String(last) })
      : undefined;
  const columns: Column<OffboardedEmployee>[] = [
    { title: 'import_id', cell: ({ import_id }) => html`<span class="mono">${import_id ?? ''}</span>` },
    { title: t.name, cell: ({ name }) => html`<bdi>${name}</bdi>` },
    ...names.map((name): Column<OffboardedEmployee> => ({ title: name, cell: ({ attributes }) => attributes[name] ?? '' })),
  ];
  return section(
    title,
    listPanel(visit, {
      title,
      field: t.searchPeople,
      name: 'offboarded',
      value: search ?? '',
      rows: table(title, columns, employees, t.noRecords),
      foot: texts.common.of(format.number(employees.length), format.number(total)),
      links: html`<a href="${at(visit, `/imports/${import_uuid}/offboarded.csv`)}">${texts.common.csv}</a>`,
      ...(next && { next: `?${next.toString()}#who` }),
    }),
    { id: 'who' },
  );
}

function sharedValueList({ texts, format }: AccountVisit, shared: readonly SharedValue[]): Html {
  const { imports: t } = texts;
  const columns: Column<SharedValue>[] = [
    { title: t.value, cell: ({ attribute, value }) => html`<bdi>${attribute}</bdi>: <bdi>${value}</bdi>` },
    {
      title: t.shareOfThem,
      cell: ({ offboarded, having }) =>
        html`<svg class="meter" viewBox="0 0 ${having} 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width="${offboarded}" height="1" />
        </svg>`,
    },
    { title: t.offboarded, isNumber: true, cell: ({ offboarded }) => format.number(offboarded) },
    { title: t.having, isNumber: true, cell: ({ having }) => format.number(having) },
  ];
  // A value that nearly all its employees would lose: probably a site that the export omitted.
  const lostValue = shared.find(({ offboarded, having }) => offboarded >= having * 0.8);
  return section(
    t.inCommon,
    panel(
      table(t.inCommon, columns, shared, t.nothingInCommon),
      html`${lostValue && html`<div class="tfoot"><span>${t.allOf(lostValue.value)}</span></div>`}`,
    ),
  );
}

function allowForm(
  visit: AccountVisit,
  { import_uuid, deletion_threshold }: ImportSummary,
  offboarded: number,
  errors: FieldErrors,
): Html {
  const { texts, format } = visit;
  const { imports: t } = texts;
  const fields = html`${textField('confirm', { label: t.typeNumber(offboarded), hint: t.allowText(format.number(offboarded), format.percentText(deletion_threshold ?? '')), inputmode: 'numeric', value: visit.form.get('confirm') ?? '', error: errors['confirm'] })}
  ${textField('reason', { label: t.reason, hint: t.reasonHint, value: visit.form.get('reason') ?? '', maxLength: 200, error: errors['reason'] })}
  ${foot(t.allow(format.number(offboarded)), { danger: true, cancel: { path: at(visit, '/'), text: t.leaveIt }, aside: t.allowAside })}`;
  return section(t.ifLeft, form(visit, at(visit, `/imports/${import_uuid}/allow`), fields), { id: 'allow' });
}

export async function getOffboardedCsv(visit: AccountVisit): Promise<Reply> {
  const import_uuid = importUuid(visit);
  await visit.admin.showImport({ import_uuid, records_limit: 0 });
  await visit.noteAudit(visit.account, 'download', `import/${import_uuid}/offboarded.csv`);
  return { csv: `offboarded-${import_uuid}.csv`, rows: offboardedRows(visit, import_uuid) };
}

async function* offboardedRows(visit: AccountVisit, import_uuid: string): AsyncGenerator<string[]> {
  yield ['import_id', 'name', 'attributes'];
  for (let after: number | undefined; ;) {
    const { employees } = await visit.admin.listOffboarded({ import_uuid, limit: CSV_PAGE, after, without_shared: true });
    for (const { import_id, name, attributes } of employees)
      yield [
        import_id ?? '',
        name,
        Object.entries(attributes)
          .map(([attribute, value]) => `${attribute}: ${value}`)
          .join('; '),
      ];
    after = employees.at(-1)?.employee_id;
    if (employees.length < CSV_PAGE) return;
  }
}
