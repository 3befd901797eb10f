import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { html, none, ownMarkup, type Html } from '../views/html.ts';
import { panel, table } from '../views/parts.ts';
import type { AccountVisit } from '../visit.ts';
import { importTag, timeTaken } from './import-parts.ts';
import { bars } from '../views/bars.ts';
import { LRUCache } from 'lru-cache';

const DAY_MS = 86_400_000;
// Limits the scale, so that one large import does not flatten all other bars.
const MIN_DAYS = 14;
const ROWS = ['created', 'updated', 'offboarded'] as const;
const COLOURS = { created: 'var(--c1)', updated: 'var(--c2)', offboarded: 'var(--c3)' };

// Rendering one plot blocks the event loop for about 40 ms.
const drawn = new LRUCache<string, string>({ max: 500 });

/**
 * Renders created, updated and offboarded employees per day, each on its own scale, and all figures
 * as a table.
 */
export async function importPlot(visit: AccountVisit, imports: readonly ImportSummary[]): Promise<Html> {
  const [newest] = imports;
  const oldest = imports.at(-1);
  if (newest === undefined || oldest === undefined) return html`<p class="pad muted">${visit.texts.imports.none}</p>`;
  const key = [visit.account.id, visit.language, newest.import_uuid, newest.state, oldest.import_uuid, imports.length].join(' ');
  const known =
    drawn.get(key) ?? String(await draw(visit, imports, Math.min(dayOf(oldest), dayOf(newest) - MIN_DAYS + 1), dayOf(newest)));
  drawn.set(key, known);
  return html`${ownMarkup(known)}${figuresOf(visit, imports)}`;
}

const dayOf = ({ accepted_at }: ImportSummary): number => Math.floor(Date.parse(accepted_at) / DAY_MS);

function draw(visit: AccountVisit, imports: readonly ImportSummary[], from: number, to: number): Html {
  const { texts, format } = visit;
  const columns = to - from + 1;
  const dayName = (day: number): string => format.shortDay(new Date(day * DAY_MS).toISOString());
  const shaded = imports.filter(({ state }) => state === 'cancelled' || state === 'failed').map((each) => dayOf(each) - from);
  const rows = ROWS.map((row) => {
    const byDay = new Map<number, number>();
    for (const each of imports) byDay.set(dayOf(each) - from, (byDay.get(dayOf(each) - from) ?? 0) + (each.counts?.[row] ?? 0));
    const data = [...byDay].map(([x, value]) => ({ x, value, title: `${dayName(from + x)}: ${format.number(value)}` }));
    const total = data.reduce((sum, { value }) => sum + value, 0);
    // Bounded: the imports of one page.
    const highest = format.number(Math.max(0, ...data.map(({ value }) => value)));
    const name = texts.counts[row];
    const label = texts.imports.plotLabel(name, dayName(from), dayName(to), highest);
    return html`<div class="l"><b>${name}</b><span>${format.number(total)}</span></div>
      <div>${ownMarkup(bars(data, { columns, colour: COLOURS[row], label, shaded }))}</div>
      <div class="m" aria-hidden="true">${highest}</div>`;
  });
  return html`<figure class="p">
    <div class="mult">
      ${rows}${timesTaken(visit, imports, from, columns)}
      <div class="ax"><span>${dayName(from)}</span><span>${dayName(to)}</span></div>
    </div>
    <figcaption>${texts.imports.plotCaption}</figcaption>
  </figure>`;
}

// A dash for each import: bars from zero would make 3.5 s and 3.8 s look like news.
function timesTaken({ texts, format }: AccountVisit, imports: readonly ImportSummary[], from: number, columns: number): Html {
  const ended = imports.flatMap((each) =>
    each.finished_at == null ? [] : [{ ...each, took: Date.parse(each.finished_at) - Date.parse(each.accepted_at) }],
  );
  if (ended.length === 0) return none;
  const data = ended.map((each) => ({
    x: dayOf(each) - from,
    value: each.took,
    title: `${format.time(each.accepted_at)}: ${format.duration(each.took)}`,
    ...(each.state === 'failed' && { colour: 'var(--bad)' }),
  }));
  const times = ended.map(({ took }) => took).toSorted((a, b) => a - b);
  const median = format.duration(times[Math.floor(times.length / 2)] ?? 0);
  const longest = format.duration(times.at(-1) ?? 0);
  const label = texts.imports.tookLabel(median, longest);
  return html`<div class="l"><b>${texts.imports.took}</b><span>${texts.imports.median(median)}</span></div>
    <div>${ownMarkup(bars(data, { columns, colour: 'var(--ink2)', label, isDashed: true }))}</div>
    <div class="m" aria-hidden="true">${longest}</div>`;
}

function figuresOf(visit: AccountVisit, imports: readonly ImportSummary[]): Html {
  const { texts, format } = visit;
  const count = (row: (typeof ROWS)[number]) => ({
    title: texts.counts[row],
    isNumber: true,
    cell: ({ counts }: ImportSummary) => format.number(counts?.[row] ?? 0),
  });
  const columns = [
    { title: texts.imports.accepted, cell: ({ accepted_at }: ImportSummary) => format.time(accepted_at) },
    { title: texts.imports.state, cell: (each: ImportSummary) => importTag(visit, each) },
    ...ROWS.map(count),
    {
      title: texts.imports.took,
      isNumber: true,
      cell: (each: ImportSummary) => timeTaken(visit, each),
    },
  ];
  return html`<details class="data">
    <summary>${texts.common.figures}</summary>
    ${panel(table(texts.common.figures, columns, imports, texts.imports.none))}
  </details>`;
}
