import { colour, printable, renderTable } from '../output.ts';
import type { LoadOutcome } from './load-dataset.ts';

/** Renders a load's outcome for programs. */
export function loadJson({ source, tally, rejections, unconsumedKinds, seconds, ...outcome }: LoadOutcome): object {
  return {
    source,
    lines: tally.lines,
    kinds: Object.fromEntries(tally.kinds),
    rejected_total: tally.rejected,
    rejected: rejections,
    waiting: outcome.deferred,
    waiting_lines_total: outcome.waitingLinesTotal,
    waiting_lines: outcome.waitingLines,
    unconsumed_kinds: unconsumedKinds,
    seconds: Number(seconds.toFixed(3)),
  };
}

/** Renders it for people. */
export function renderLoad(outcome: LoadOutcome): string {
  const { tally, rejections } = outcome;
  const kinds = [...tally.kinds].map(([kind, { loaded, rejected }]) => [kind, String(loaded), String(rejected)]);
  const rest = tally.rejected - rejections.length;
  return [
    renderHeadline(outcome),
    '',
    renderTable(['KIND', 'LOADED', 'REJECTED'], kinds),
    ...notes(outcome),
    ...renderWaiting(outcome),
    ...(rejections.length === 0 ? [] : ['', renderRejections(outcome)]),
    ...(rest > 0 ? ['', `${rest} more rejected lines: --json lists them all.`] : []),
  ].join('\n');
}

const countOf = (lines: number): string => `${lines} ${lines === 1 ? 'line' : 'lines'}`;

function renderHeadline({ tally, waitingLinesTotal, seconds, source }: LoadOutcome): string {
  const faults = [
    ...(tally.rejected === 0 ? [] : [`${countOf(tally.rejected)} rejected`]),
    ...(waitingLinesTotal === 0 ? [] : [`${countOf(waitingLinesTotal)} waiting`]),
  ];
  const state = faults.length === 0 ? colour('green', 'loaded') : colour('yellow', faults.join(', '));
  return `${state}: ${tally.lines.toLocaleString('en')} lines in ${seconds.toFixed(1)} s (${source})`;
}

function notes({ deferred, unconsumedKinds }: LoadOutcome): string[] {
  const waiting = deferred.map(({ service, kind, facts }) => `${facts} ${kind} (${service})`).join(', ');
  return [
    ...(waiting === ''
      ? []
      : ['', `Waiting in this account for something that is not there yet: ${waiting}. They are applied when it comes.`]),
    ...(unconsumedKinds.length === 0 ? [] : ['', `Published, but no service takes them yet: ${unconsumedKinds.join(', ')}.`]),
  ];
}

// The import_id of an employee whom the import API did not create never arrives: only the line
// shows it.
function renderWaiting({ waitingLines, waitingLinesTotal }: LoadOutcome): string[] {
  if (waitingLinesTotal === 0) return [];
  const rest = waitingLinesTotal - waitingLines.length;
  const rows = waitingLines.map(({ line, kind, service }) => [String(line), kind, service]);
  const more = rest > 0 ? [`${rest} more waiting lines: --json lists up to 10,000.`] : [];
  return [
    '',
    'Lines of this load that wait for an employee, a response or a topic:',
    renderTable(['LINE', 'KIND', 'KEPT BY'], rows),
    ...more,
  ];
}

function renderRejections({ rejections }: LoadOutcome): string {
  return renderTable(
    ['LINE', 'KIND', 'REJECTED BY', 'REASON'],
    rejections.map(({ line, kind, rejected_by, reason }) => [String(line), kind ?? '-', rejected_by, printable(reason)]),
  );
}
