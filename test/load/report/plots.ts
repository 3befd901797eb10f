import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { medianOf, renderTarget, short, type Judged } from '../../support/figures.ts';

// The only benchmark file that depends on the plotting library.

const WIDTH = 860;
const ROW_HEIGHT = 20;
const LABELS_WIDTH = 360;
const MAX_LABEL = 57;
// A picture in a document follows the reader's colour scheme by itself.
const COLOURS = `
  svg { color: #1f2430; font: 11px system-ui, sans-serif; --met: #1a7f4b; --missed: #c2372e; --earlier: #8a8f9c }
  @media (prefers-color-scheme: dark) { svg { color: #dfe3ec; --met: #4cc38a; --missed: #ff7a70 } }`;
const { document } = parseHTML('<html><body></body></html>');

/**
 * Draws each figure with a goal as a dot on a logarithmic scale of its share of the goal: left of 1
 * the goal is met. A circle is the same figure of an earlier run. Returns SVG, or undefined without
 * goals.
 */
export function goalsPlot(title: string, figures: readonly Judged[], earlier: readonly Judged[] = []): string | undefined {
  const rows = figures.flatMap((figure) => rowOf(figure) ?? []);
  if (rows.length === 0) return undefined;
  const names = new Set(rows.map(({ name }) => name));
  const before = earlier.flatMap((figure) => rowOf(figure) ?? []).filter(({ name }) => names.has(name));
  const shares = [...rows, ...before].map(({ share }) => share);
  const position = { x: 'share', y: 'name' };
  return svgOf(title, {
    height: rows.length * ROW_HEIGHT + 60,
    marginLeft: LABELS_WIDTH,
    marginRight: 110,
    x: {
      type: 'log',
      domain: [Math.min(0.1, ...shares), Math.max(2, ...shares)],
      label: 'share of the goal',
      ticks: 5,
      tickFormat: short,
    },
    y: { domain: rows.map(({ name }) => name), label: null, tickFormat: (name: string) => shortened(name), tickSize: 0 },
    marks: [
      Plot.gridY({ strokeOpacity: 0.12 }),
      Plot.ruleX([1], { strokeDasharray: '3 3' }),
      Plot.dot(before, { ...position, r: 6, stroke: 'var(--earlier)' }),
      Plot.dot(rows, { ...position, r: 4, fill: ({ met }: Row) => `var(--${met ? 'met' : 'missed'})` }),
      Plot.text(rows, { y: 'name', text: 'measured', frameAnchor: 'right', textAnchor: 'start', dx: 8, fill: 'currentColor' }),
    ],
  });
}

/** Draws figures over the size of the work, both logarithmic, one line per kind of work. */
export function sizesPlot(title: string, figures: readonly Judged[]): string | undefined {
  const points = figures.flatMap(({ size, what, median }) =>
    size === undefined ? [] : [{ size, median, work: what.split(':')[0] ?? '' }],
  );
  if (points.length === 0) return undefined;
  const last = points.filter(({ size, work }) => points.every((other) => other.work !== work || other.size <= size));
  return svgOf(title, {
    height: 340,
    marginLeft: 60,
    marginRight: 190,
    x: { type: 'log', label: 'size', ticks: 4, tickFormat: (size: number) => size.toLocaleString('en'), grid: true },
    y: {
      type: 'log',
      label: figures.find(({ size }) => size !== undefined)?.unit ?? '',
      ticks: 5,
      tickFormat: short,
      grid: true,
    },
    marks: [
      Plot.line(points, { x: 'size', y: 'median', z: 'work', stroke: 'currentColor' }),
      Plot.dot(points, { x: 'size', y: 'median', fill: 'currentColor', r: 3 }),
      Plot.text(last, { x: 'size', y: 'median', text: 'work', textAnchor: 'start', dx: 8, fill: 'currentColor' }),
    ],
  });
}

interface Row {
  readonly name: string;
  readonly share: number;
  readonly met: boolean;
  readonly measured: string;
}

function rowOf({ what, beside, ours, ratio, goal, met }: Judged): Row | undefined {
  if (goal === undefined || met === undefined) return undefined;
  const value = ratio ?? medianOf(ours);
  const share = 'atMost' in goal ? value / goal.atMost : goal.atLeast / value;
  const name = beside === undefined ? what : `${what} / ${beside.what}`;
  return { name, share, met, measured: `${short(value)} (${renderTarget(goal)})` };
}

function shortened(name: string): string {
  return name.length <= MAX_LABEL ? name : `${name.slice(0, MAX_LABEL - 1)}…`;
}

function svgOf(title: string, options: Plot.PlotOptions): string {
  const svg = Plot.plot({ document, width: WIDTH, className: 'figure', ...options });
  for (const style of svg.querySelectorAll('style')) style.remove();
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  const style = document.createElement('style');
  style.textContent = COLOURS;
  svg.prepend(style);
  return svg.outerHTML;
}
