import { importReasonText, type ImportReason } from '@survey/formats/import-reasons.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { notFoundPage } from '../page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { note, tag, type Mark, panel, table } from '../views/parts.ts';
import type { AccountVisit, Visit } from '../visit.ts';
import { bars, marks } from '../views/bars.ts';
import { DAY_MS } from '../views/format.ts';

const STATES: Readonly<Record<string, Mark>> = { accepted: 'off', applied: 'on', cancelled: 'warn', failed: 'bad' };

export function importTag({ texts }: Visit, { state }: Pick<ImportSummary, 'state'>): Html {
  const words: Readonly<Record<string, string>> = texts.imports.states;
  return tag(STATES[state] ?? 'off', words[state] ?? state);
}

/** Returns how long an import took, or a dash while it runs. */
export function timeTaken({ format }: Visit, { accepted_at, finished_at }: ImportSummary): string {
  return finished_at == null ? '–' : format.duration(Date.parse(finished_at) - Date.parse(accepted_at));
}

/** Renders what was noticed about the snapshot as a whole. */
export function warningNote({ texts, language }: Visit, warnings: readonly ImportReason[]): Html {
  if (warnings.length === 0) return none;
  const list = html`<ul>
    ${warnings.map((warning) => html`<li>${importReasonText(warning, language)}</li>`)}
  </ul>`;
  return note('warn', texts.imports.noticed, list);
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the import that the path names. */
export function importUuid({ params }: AccountVisit): string {
  const uuid = params['import'] ?? '';
  if (!UUID.test(uuid)) throw notFoundPage();
  return uuid;
}

// The plot covers at least this many days, and ends with the newest import.
const MIN_DAYS = 14;
const ROWS = ['created', 'updated', 'offboarded'] as const;
const COLOURS = { created: 'var(--c1)', updated: 'var(--c2)', offboarded: 'var(--c3)' };

/**
 * Renders created, updated and offboarded employees per day, each on its own scale, and all figures
 * as a table.
 */
export function importPlot(visit: AccountVisit, imports: readonly ImportSummary[]): Html {
  const [newest] = imports;
  const oldest = imports.at(-1);
  if (newest === undefined || oldest === undefined) return html`<p class="pad muted">${visit.texts.imports.none}</p>`;
  const [first, last] = [oldest, newest].map(({ accepted_at }) => visit.format.dayNumber(accepted_at)) as [number, number];
  return html`${draw(visit, imports, Math.min(first, last - MIN_DAYS + 1), last)}${figuresOf(visit, imports)}`;
}

function draw(visit: AccountVisit, imports: readonly ImportSummary[], from: number, to: number): Html {
  const { texts, format } = visit;
  const columns = to - from + 1;
  const dayName = (day: number): string => format.shortDay(new Date(day * DAY_MS).toISOString());
  const dayOf = ({ accepted_at }: ImportSummary): number => format.dayNumber(accepted_at);
  const unapplied = imports.filter(({ state }) => state === 'cancelled' || state === 'failed');
  const days = [...new Map(unapplied.map((each) => [dayOf(each), each])).entries()].toReversed();
  const unappliedDays = days.map(([day, { state }]) => ({
    x: day - from,
    title: `${dayName(day)}: ${texts.imports.states[state === 'failed' ? 'failed' : 'cancelled']}`,
  }));
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
      <div>${bars(data, { columns, colour: COLOURS[row], label })}</div>
      <div class="m" aria-hidden="true">${highest}</div>`;
  });
  return html`<figure class="p">
    <div class="mult">
      ${rows}${timesTaken(visit, imports, from, columns)}
      <div class="ax">
        ${marks(unappliedDays, columns, unappliedDays.map(({ title }) => title).join('; '))}
        <span>${dayName(from)}</span><span>${dayName(to)}</span>
      </div>
    </div>
    <figcaption>${texts.imports.plotCaption}${unappliedDays.length > 0 && html` ${texts.imports.plotMarks}`}</figcaption>
  </figure>`;
}

// A dash for each import: bars from zero would make 3.5 s and 3.8 s look like news.
function timesTaken({ texts, format }: AccountVisit, imports: readonly ImportSummary[], from: number, columns: number): Html {
  const endedImports = imports.flatMap((each) =>
    each.finished_at == null ? [] : [{ ...each, took: Date.parse(each.finished_at) - Date.parse(each.accepted_at) }],
  );
  if (endedImports.length === 0) return none;
  const data = endedImports.map((each) => ({
    x: format.dayNumber(each.accepted_at) - from,
    value: each.took,
    title: `${format.time(each.accepted_at)}: ${format.duration(each.took)}`,
    ...(each.state === 'failed' && { colour: 'var(--bad)' }),
  }));
  const times = endedImports.map(({ took }) => took).toSorted((a, b) => a - b);
  const median = format.duration(times[Math.floor(times.length / 2)] ?? 0);
  const longest = format.duration(times.at(-1) ?? 0);
  const label = texts.imports.tookLabel(median, longest);
  return html`<div class="l"><b>${texts.imports.took}</b><span>${texts.imports.median(median)}</span></div>
    <div>${bars(data, { columns, colour: 'var(--ink2)', label, isDashed: true })}</div>
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
