import { renderTable } from '@survey/surveyctl/output.ts';

export type Target = { readonly atMost: number } | { readonly atLeast: number };

/** A measured figure, with that of a lower bound or baseline of the same run when it is a ratio. */
export interface Figure {
  readonly what: string;
  readonly unit:
    | 's'
    | 's of CPU'
    | 'ms'
    | 'µs'
    | 'req/s'
    | 'MiB'
    | 'bytes'
    | 'answers/s of CPU'
    | 'employees/s of CPU'
    | 'responses/s of CPU'
    | 'x'
    | 'statements'
    | 'facts/s';
  readonly ours: readonly number[];
  readonly beside?: { readonly what: string; readonly values: readonly number[] };
  // Limit of the ratio of both medians; without `beside`, of the median of `ours`.
  readonly goal?: Target;
  // Size of the work, for a curve over several sizes. `what` starts with the name of the curve.
  readonly size?: number;
}

/** A figure with its median, its ratio, and whether its goal is met (undefined without a goal). */
export interface Judged extends Figure {
  readonly median: number;
  readonly ratio: number | undefined;
  readonly met: boolean | undefined;
}

export function judge(figure: Figure): Judged {
  const median = medianOf(figure.ours);
  const ratio = figure.beside === undefined ? undefined : median / medianOf(figure.beside.values);
  const met = figure.goal === undefined ? undefined : isWithin(ratio ?? median, figure.goal);
  return { ...figure, median, ratio, met };
}

export function isWithin(value: number, target: Target): boolean {
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}

export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 50);
}

export function percentileOf(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

const HEAD = ['FIGURE', 'UNIT', 'MEDIAN', 'MIN', 'MAX', 'BESIDE', 'MEDIAN', 'RATIO', 'GOAL', 'MET'];

/** Renders a table with one line per figure. */
export function renderFigures(figures: readonly Judged[]): string {
  return renderTable(
    HEAD,
    figures.map(({ what, unit, ours, median, beside, ratio, goal, met }) => [
      what,
      unit,
      short(median),
      short(Math.min(...ours)),
      short(Math.max(...ours)),
      beside?.what ?? '',
      beside === undefined ? '' : short(medianOf(beside.values)),
      ratio === undefined ? '' : short(ratio),
      goal === undefined ? '' : renderTarget(goal),
      met === undefined ? '' : met ? 'yes' : 'NO',
    ]),
  );
}

export function renderTarget(target: Target): string {
  return 'atMost' in target ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
}

/** Formats a number with three significant digits, or as an integer from 100 on. */
export function short(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

/**
 * Runs the variants alternately (A B A B …), so that other load on the machine affects all of them.
 */
export async function byTurns<A extends string>(
  repetitions: number,
  variants: Readonly<Record<A, () => Promise<number>>>,
): Promise<Record<A, number[]>> {
  const names = Object.keys(variants) as A[];
  const values = Object.fromEntries(names.map((name): [string, number[]] => [name, []])) as Record<A, number[]>;
  for (let turn = 0; turn < repetitions; turn += 1) for (const name of names) values[name].push(await variants[name]());
  return values;
}

export async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * Measures again and again until the work has ended. Returns what was measured before its end, and
 * its duration.
 */
export async function repeatWhile(
  work: () => Promise<number>,
  measure: () => Promise<number>,
): Promise<{ values: number[]; ms: number }> {
  const values: number[] = [];
  const running = { isOver: false };
  const workMs = work().finally(() => {
    running.isOver = true;
  });
  while (!running.isOver) {
    const ms = await measure();
    // Discards figures measured after the end of the work.
    if (!running.isOver) values.push(ms);
  }
  return { values, ms: await workMs };
}

/** Runs one benchmark alone; `npm run bench --` runs all of them. */
export async function printAlone(measure: (started: AsyncDisposableStack, isSmoke: boolean) => Promise<Figure[]>): Promise<void> {
  await using started = new AsyncDisposableStack();
  const figures = await measure(started, process.argv.includes('--smoke'));
  console.log(renderFigures(figures.map(judge)));
}
