import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { html, none, type Html } from '../views/html.ts';
import { at, head, panel, select, table, type Column } from '../views/parts.ts';
import type { AccountVisit, Reply } from '../visit.ts';
import { importTag, timeTaken, UUID } from './import-parts.ts';

const PAGE = 50;
const STATES = ['applied', 'cancelled', 'failed', 'accepted'] as const;

export async function getImports(visit: AccountVisit): Promise<Reply> {
  const { texts, format, query } = visit;
  const { imports: t } = texts;
  const state = STATES.find((each) => each === query.get('state'));
  const withSkipped = query.get('skipped') === '1';
  const importBefore = query.get('before') ?? '';
  const before = UUID.test(importBefore) ? importBefore : undefined;
  const { imports, total } = await visit.admin.listImports({ limit: PAGE, before, state, with_skipped: withSkipped });
  const choices = [{ value: '', text: t.everyState }, ...STATES.map((value) => ({ value, text: t.states[value] }))];
  const older =
    imports.length === PAGE
      ? new URLSearchParams({ state: state ?? '', skipped: withSkipped ? '1' : '', before: imports.at(-1)?.import_uuid ?? '' })
      : undefined;
  const body = html`${head(t.title, { lead: t.lead, actions: html`<a class="btn" href="${at(visit, '/dry-run')}">${texts.nav.dryRun}</a>` })}
  ${panel(
    html`<form class="bar" role="search" aria-label="${t.title}">
      <label class="sr" for="state">${t.state}</label>${select('state', state ?? '', choices)}<label class="check"
        ><input type="checkbox" name="skipped" value="1" ${withSkipped ? html` checked` : none} />
        <span>${t.withSkipped}</span></label
      ><button>${texts.common.search}</button>
    </form>`,
    latestImports(visit, imports),
    html`<div class="tfoot">
      <span>${t.shown(format.number(imports.length), format.number(total))}</span
      >${older && html`<a href="?${older.toString()}">${texts.common.older}</a>`}
    </div>`,
  )}`;
  return { page: { title: t.title, section: 'imports', body } };
}

/** Renders the table of imports, newest first. */
export function latestImports(visit: AccountVisit, imports: readonly ImportSummary[]): Html {
  const { texts, format } = visit;
  const { imports: t, counts } = texts;
  const count = (
    title: string,
    name: 'created' | 'updated' | 'reactivated' | 'offboarded' | 'skipped',
    isOptional = false,
  ): Column<ImportSummary> => ({
    title,
    isNumber: true,
    isOptional,
    cell: (each) => (each.state === 'applied' ? format.number(each.counts?.[name] ?? 0) : '–'),
  });
  return table<ImportSummary>(
    t.title,
    [
      {
        title: t.accepted,
        cell: (each) => html`<a href="${at(visit, `/imports/${each.import_uuid}`)}">${format.time(each.accepted_at)}</a>`,
      },
      {
        title: t.state,
        cell: (each) =>
          html`${importTag(visit, each)}${each.can_allow_deletes === true && html`<br /><span class="small bad">${t.needsDecision}</span>`}`,
      },
      { title: t.sent, isNumber: true, isOptional: true, cell: (each) => format.number(each.employees_total) },
      count(counts.created, 'created', true),
      count(counts.updated, 'updated', true),
      count(counts.reactivated, 'reactivated', true),
      count(counts.offboarded, 'offboarded'),
      count(counts.skipped, 'skipped'),
      {
        title: t.took,
        isNumber: true,
        isOptional: true,
        cell: (each) => timeTaken(visit, each),
      },
    ],
    imports,
    t.none,
  );
}
