import { colour, printable, renderTable } from '../output.ts';
import type { LoadOutcome } from './load-dataset.ts';

/** What a load did, as programs read it. */
export function loadJson({ source, tally, rejections, waiting, notTaken, seconds }: LoadOutcome): object {
  return {
    source,
    lines: tally.lines,
    kinds: Object.fromEntries(tally.kinds),
    rejected_total: tally.rejected,
    rejected: rejections,
    waiting,
    not_taken: notTaken,
    seconds: Number(seconds.toFixed(3)),
  };
}

/** The same as people read it. */
export function renderLoad(outcome: LoadOutcome): string {
  const { tally, rejections } = outcome;
  const kinds = [...tally.kinds].map(([kind, { loaded, rejected }]) => [kind, String(loaded), String(rejected)]);
  const rest = tally.rejected - rejections.length;
  return [
    renderHeadline(outcome),
    '',
    renderTable(['KIND', 'LOADED', 'REJECTED'], kinds),
    ...notes(outcome),
    ...(rejections.length === 0 ? [] : ['', renderRejections(outcome)]),
    ...(rest > 0 ? ['', `${rest} more rejected lines: --json lists them all.`] : []),
  ].join('\n');
}

function renderHeadline({ tally, seconds, source }: LoadOutcome): string {
  const state =
    tally.rejected === 0
      ? colour('green', 'loaded')
      : colour('yellow', `${tally.rejected} ${tally.rejected === 1 ? 'line' : 'lines'} rejected`);
  return `${state}: ${tally.lines.toLocaleString('en')} lines in ${seconds.toFixed(1)} s (${source})`;
}

function notes({ waiting, notTaken }: LoadOutcome): string[] {
  const kept = waiting.map(({ kept_by, kind, facts }) => `${facts} ${kind} (${kept_by})`).join(', ');
  return [
    ...(kept === ''
      ? []
      : ['', `Waiting in this account for something that is not there yet: ${kept}. They are applied when it comes.`]),
    ...(notTaken.length === 0 ? [] : ['', `Published, but no service takes them yet: ${notTaken.join(', ')}.`]),
  ];
}

function renderRejections({ rejections }: LoadOutcome): string {
  return renderTable(
    ['LINE', 'KIND', 'REJECTED BY', 'REASON'],
    rejections.map(({ line, kind, rejected_by, reason }) => [String(line), kind ?? '-', rejected_by, printable(reason)]),
  );
}
