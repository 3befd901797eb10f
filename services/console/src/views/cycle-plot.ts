import type { Visit } from '../visit.ts';
import { bars } from './bars.ts';
import { html, type Html } from './html.ts';

interface PlotRow {
  readonly name: string;
  readonly colour: string;
  // One for each cycle.
  readonly values: readonly number[];
}

interface CyclePlot {
  // Names of the cycles, oldest first, and days of the first and the last.
  readonly cycles: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly rows: readonly PlotRow[];
  // Describes a row: its name, the number of cycles, and the highest value.
  readonly labelOf: (name: string, cycles: string, highest: string) => string;
  readonly caption: string;
}

/** Renders counts, one column per cycle, on one scale because all rows count the same. */
export function cyclePlot({ format }: Visit, { cycles, from, to, rows, labelOf, caption }: CyclePlot): Html {
  const highest = highestOf(rows.flatMap(({ values }) => values));
  const shown = rows.map(({ name, colour, values }) => {
    const data = values.map((value, x) => ({ x, value, title: `${cycles[x] ?? ''}: ${format.number(value)}` }));
    const highestCount = format.number(highestOf(values));
    const label = labelOf(name, format.number(cycles.length), highestCount);
    const total = format.number(values.reduce((sum, value) => sum + value, 0));
    return html`<div class="l"><b>${name}</b><span>${total}</span></div>
      <div>${bars(data, { columns: cycles.length, colour, label, highest })}</div>
      <div class="m" aria-hidden="true">${format.number(highest)}</div>`;
  });
  return html`<figure class="p">
    <div class="mult">
      ${shown}
      <div class="ax"><span>${from}</span><span>${to}</span></div>
    </div>
    <figcaption>${caption}</figcaption>
  </figure>`;
}

const highestOf = (values: readonly number[]): number => values.reduce((highest, value) => Math.max(highest, value), 0);
