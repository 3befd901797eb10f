import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

// The only file that depends on the plotting library.

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
  // Full-height grey columns: nights without a result.
  readonly shaded?: readonly number[];
}

const WIDTH = 600;
const HEIGHT = 40;
const { document } = parseHTML('<html><body></body></html>');

/**
 * Returns a row of bars as SVG markup without text; the surrounding page has the labels and
 * figures.
 */
export function bars(
  data: readonly Bar[],
  { columns, colour, label, highest, shaded = [], isDashed = false }: BarsOptions,
): string {
  const positive = data.filter(({ value }) => value > 0);
  const position = { x1: ({ x }: Bar) => x + 0.05, x2: ({ x }: Bar) => x + 0.95, y: 'value', title: 'title' };
  const stroke = (bar: Bar): string => bar.colour ?? colour;
  const svg = Plot.plot({
    document,
    width: WIDTH,
    height: HEIGHT,
    margin: 1,
    axis: null,
    x: { type: 'linear', domain: [0, Math.max(1, columns)] },
    y: { domain: [0, data.reduce((most, { value }) => Math.max(most, value), Math.max(1, highest ?? 0))] },
    marks: [
      Plot.rect(shaded, { x1: (at: number) => at + 0.04, x2: (at: number) => at + 0.96, fill: 'var(--hatch)' }),
      isDashed ? Plot.ruleY(data, { ...position, stroke, strokeWidth: 2 }) : Plot.rectY(positive, { ...position, fill: stroke }),
      Plot.ruleY([0], { stroke: 'var(--line2)' }),
    ],
  });
  svg.setAttribute('class', 'plot');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', label);
  // The content security policy blocks inline styles.
  for (const style of svg.querySelectorAll('style')) style.remove();
  // The figure has one label; single bars are hidden from screen readers.
  for (const group of svg.querySelectorAll('g')) group.removeAttribute('aria-label');
  for (const attribute of ['width', 'height', 'fill', 'font-family', 'font-size', 'text-anchor']) svg.removeAttribute(attribute);
  return svg.outerHTML;
}
