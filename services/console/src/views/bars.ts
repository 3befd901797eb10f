import { html, none, type Html } from './html.ts';
import type { Visit } from '../visit.ts';

interface Bar {
  // Position from the left, from 0.
  readonly x: number;
  readonly value: number;
  readonly title: string;
  // Default: the row's colour.
  readonly colour?: string;
}

interface BarsOptions {
  // Number of bar positions.
  readonly columns: number;
  readonly colour: string;
  readonly label: string;
  // Dashes at the values instead of bars from zero: for durations, whose small differences mean
  // nothing.
  readonly isDashed?: boolean;
  // Top of the scale; default: the highest value.
  readonly highest?: number;
}

const HEIGHT = 40;
const DASH = 2;
// Share of the width of a position, on each side.
const GAP = 0.06;
const WIDTH = 1 - 2 * GAP;

/** Renders a row of bars without text; the surrounding page has the labels and figures. */
export function bars(data: readonly Bar[], options: BarsOptions): Html {
  const { columns, colour, label, highest = 0, isDashed = false } = options;
  const top = data.reduce((top, { value }) => Math.max(top, value), Math.max(1, highest));
  const bar = ({ x, value, title, colour: own }: Bar): Html => {
    const height = (value / top) * (HEIGHT - DASH);
    const y = (HEIGHT - DASH - height).toFixed(2);
    const drawn = (isDashed ? DASH : height).toFixed(2);
    const fill = own === undefined ? none : html`fill="${own}"`;
    return html`<rect x="${x + GAP}" y="${y}" width="${WIDTH}" height="${drawn}" ${fill}><title>${title}</title></rect>`;
  };
  return html`<svg
    class="plot"
    viewBox="0 0 ${Math.max(1, columns)} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${label}"
    fill="${colour}"
  >
    <rect class="base" y="${HEIGHT - 1}" width="100%" height="1"></rect>
    ${data.filter(({ value }) => value > 0).map(bar)}
  </svg>`;
}

/** Renders a mark on the axis of a figure for each day that its rows have nothing to show of. */
export const marks = (data: readonly Omit<Bar, 'value'>[], columns: number, label: string): Html =>
  data.length === 0
    ? none
    : html`<svg class="marks" viewBox="0 0 ${Math.max(1, columns)} 1" preserveAspectRatio="none" role="img" aria-label="${label}">
        ${data.map(({ x, title }) => html`<rect x="${x + GAP}" width="${WIDTH}" height="1"><title>${title}</title></rect>`)}
      </svg>`;

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
