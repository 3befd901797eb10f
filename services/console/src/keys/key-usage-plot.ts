import type { ApiKey, KeyUsage } from '@survey/proto/admin/v1/admin.ts';
import { bars } from '../views/bars.ts';
import { html, type Html } from '../views/html.ts';
import { DAY_MS } from '../views/format.ts';
import { panel, table } from '../views/parts.ts';
import type { AccountVisit } from '../visit.ts';
import { nameOf } from './new-key-page.ts';

const PLOTTED_KEYS = 8;

/** Returns the number of requests. */
export const sumOf = (usage: readonly KeyUsage[]): number =>
  usage.reduce((total, { succeeded, rejected, throttled, failed }) => total + succeeded + rejected + throttled + failed, 0);

/** Renders the requests of the keys by day. */
export function usagePlot(visit: AccountVisit, keys: readonly ApiKey[], usage: readonly KeyUsage[], days: number): Html {
  const { texts, format } = visit;
  const { keys: t } = texts;
  const today = Math.floor(Date.now() / DAY_MS);
  const from = today - days + 1;
  const dayName = (day: number): string => format.shortDay(new Date(day * DAY_MS).toISOString());
  const used = keys.filter(({ key_id }) => usage.some((each) => each.key_id === key_id)).slice(0, PLOTTED_KEYS);
  if (used.length === 0) return panel(html`<p class="pad muted">${t.noRequests}</p>`);
  const rows = used.map((key) => {
    const daysOfKey = usage.filter(({ key_id }) => key_id === key.key_id);
    const data = daysOfKey.map((each) => {
      const x = Math.floor(Date.parse(each.day) / DAY_MS) - from;
      return { x, value: sumOf([each]), title: `${dayName(from + x)}: ${format.number(sumOf([each]))}` };
    });
    const total = sumOf(daysOfKey);
    const refused = total - daysOfKey.reduce((count, { succeeded }) => count + succeeded, 0);
    // Bounded: the days that are plotted.
    const highest = format.number(Math.max(0, ...data.map(({ value }) => value)));
    const name = nameOf(visit, key);
    const label = texts.imports.plotLabel(name, dayName(from), dayName(today), highest);
    return html`<div class="l"><b>${name}</b><span>${t.share(format.number(total), format.number(refused))}</span></div>
      <div>${bars(data, { columns: days, colour: 'var(--c1)', label })}</div>
      <div class="m" aria-hidden="true">${highest}</div>`;
  });
  const figures = usage.filter(({ key_id }) => used.some((key) => key.key_id === key_id));
  const count = (title: string, of: (each: KeyUsage) => number) => ({
    title,
    isNumber: true,
    cell: (each: KeyUsage) => format.number(of(each)),
  });
  const columns = [
    { title: texts.common.day, cell: ({ day }: KeyUsage) => format.day(day) },
    {
      title: t.name,
      cell: ({ key_id }: KeyUsage) => nameOf(visit, used.find((key) => key.key_id === key_id) ?? (used[0] as ApiKey)),
    },
    count(t.succeeded, ({ succeeded }) => succeeded),
    count(t.rejected, ({ rejected: value }) => value),
    count(t.throttled, ({ throttled }) => throttled),
    count(t.failed, ({ failed }) => failed),
  ];
  return panel(
    html`<figure class="p">
      <div class="mult">
        ${rows}
        <div class="ax"><span>${dayName(from)}</span><span>${dayName(today)}</span></div>
      </div>
      <figcaption>${t.late}</figcaption>
    </figure>`,
    html`<details class="data">
      <summary>${texts.common.figures}</summary>
      ${table(texts.common.figures, columns, figures, t.noRequests)}
    </details>`,
  );
}
