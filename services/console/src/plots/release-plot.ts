import type { CycleRelease } from '@survey/proto/admin/v1/admin.ts';
import { html, ownMarkup, type Html } from '../views/html.ts';
import type { AccountVisit } from '../visit.ts';
import { bars } from './bars.ts';

export const DECISIONS = [
  'scores_released',
  'scores_too_few',
  'scores_dominated',
  'scores_late',
  'texts_released',
  'texts_withheld',
] as const;
const COLOURS = {
  scores_released: 'var(--c1)',
  scores_too_few: 'var(--c3)',
  scores_dominated: 'var(--c3)',
  scores_late: 'var(--c2)',
  texts_released: 'var(--c1)',
  texts_withheld: 'var(--c3)',
};

/**
 * Renders the questions released and withheld, one column per cycle. All rows have the same scale,
 * because they count the same questions.
 */
export function releasePlot(visit: AccountVisit, cycles: readonly CycleRelease[]): Html {
  const { texts, format } = visit;
  const { guard: t } = texts;
  const [from, to] = [cycles[0]?.day ?? '', cycles.at(-1)?.day ?? ''].map((day) => format.shortDay(day));
  const highest = Math.max(...cycles.flatMap((cycle) => DECISIONS.map((decision) => cycle[decision])));
  const rows = DECISIONS.map((decision) => {
    const name = t.decisions[decision];
    const data = cycles.map((cycle, x) => ({
      x,
      value: cycle[decision],
      title: `${t.cycleOf(format.day(cycle.day), String(cycle.survey_id))}: ${format.number(cycle[decision])}`,
    }));
    const values = data.map(({ value }) => value);
    const most = format.number(Math.max(...values));
    const label = t.plotLabel(name, format.number(cycles.length), most);
    const total = format.number(values.reduce((sum, value) => sum + value, 0));
    return html`<div class="l"><b>${name}</b><span>${total}</span></div>
      <div>${ownMarkup(bars(data, { columns: cycles.length, colour: COLOURS[decision], label, highest }))}</div>
      <div class="m" aria-hidden="true">${most}</div>`;
  });
  return html`<figure class="p">
    <div class="mult">
      ${rows}
      <div class="ax"><span>${from}</span><span>${to}</span></div>
    </div>
    <figcaption>${t.plotCaption}</figcaption>
  </figure>`;
}
