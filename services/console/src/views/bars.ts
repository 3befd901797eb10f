import { html, none, type Html } from './html.ts';

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
