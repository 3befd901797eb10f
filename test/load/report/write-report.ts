import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import { medianOf, renderTarget, short, type Judged } from '../../support/figures.ts';
import { goalsPlot, sizesPlot } from './plots.ts';

/** A figure with the benchmark that measured it: an entry of the JSON file. */
export interface Measured extends Judged {
  readonly benchmark: string;
}

const STYLE = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 900px; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
  table { border-collapse: collapse; font-size: 13px; display: block; overflow-x: auto }
  th, td { text-align: right; padding: 2px 8px; border-bottom: 1px solid #8884 }
  th:first-child, td:first-child { text-align: left }
  svg { max-width: 100%; height: auto }`;

/**
 * Writes figures.json, and index.html with a table and pictures of them. `earlier` are the figures
 * of a run to compare with.
 */
export async function writeReport(folder: string, figures: readonly Measured[], earlier: readonly Measured[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const of = (all: readonly Measured[], name: string): Measured[] => all.filter(({ benchmark }) => benchmark === name);
  const sections = [];
  for (const name of new Set(figures.map(({ benchmark }) => benchmark))) {
    const own = of(figures, name);
    const pictures = [
      goalsPlot(`${name}: figures with goals`, own, of(earlier, name)),
      sizesPlot(`${name}: figures by size`, own),
    ];
    sections.push(
      html`<h2 id="${name}">${name}</h2>
        ${pictures.map((svg) => raw(svg ?? ''))}${table(own)}`,
    );
  }
  await writeFile(join(folder, 'figures.json'), `${JSON.stringify(figures, null, 2)}\n`);
  await writeFile(join(folder, 'index.html'), String(await page(sections)));
}

function page(sections: readonly unknown[]): ReturnType<typeof html> {
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>Performance results</title>
      <style>
        ${raw(STYLE)}
      </style>
      <h1>Performance results</h1>
      <p>A dot left of the dashed line has met its goal; a circle is the earlier run.</p>
      ${sections}
    </html>`;
}

function table(figures: readonly Measured[]): ReturnType<typeof html> {
  return html`<table>
    <tr>
      <th>figure</th>
      <th>unit</th>
      <th>median</th>
      <th>min</th>
      <th>max</th>
      <th>compared with</th>
      <th>median</th>
      <th>ratio</th>
      <th>goal</th>
      <th>met</th>
    </tr>
    ${figures.map(({ what, unit, median, ours, beside, ratio, goal, met }) => {
      const besides = beside === undefined ? ['', ''] : [beside.what, short(medianOf(beside.values))];
      const judged = [ratio === undefined ? '' : short(ratio), goal === undefined ? '' : renderTarget(goal), verdict(met)];
      const cells = [what, unit, short(median), short(Math.min(...ours)), short(Math.max(...ours)), ...besides, ...judged];
      return html`<tr>
        ${cells.map((cell) => html`<td>${cell}</td>`)}
      </tr>`;
    })}
  </table>`;
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'yes' : 'no';
}
