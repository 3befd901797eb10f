import { styleText } from 'node:util';
import type { Command } from 'commander';
import Table from 'cli-table3';

type Style = 'green' | 'yellow' | 'red' | 'bold';

/** Prints a result: as one line of JSON with --json, else as `forPeople` writes it. */
export function print(command: Command, result: object, forPeople: () => string): void {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  process.stdout.write(`${json === true ? JSON.stringify(result) : forPeople()}\n`);
}

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/**
 * Rows under a heading, in columns. Without lines, so that it can also be cut into columns by other
 * programs.
 */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'none';
  const lines = render([head.map((title) => colour('bold', title)), ...rows.map((row) => row.map(printable))]);
  return lines;
}

/** One thing, a line for each of its properties. */
export function renderFields(fields: Readonly<Record<string, string>>): string {
  return render(Object.entries(fields).map(([label, value]) => [colour('bold', label), printable(value)]));
}

function render(cells: string[][]): string {
  // No colours of its own: its borders would carry some also where there is no terminal.
  const table = new Table({ chars: NO_LINES, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } });
  table.push(...cells);
  return table.toString().replaceAll(/[ ]+$/gm, '');
}

/** Colours on a terminal only, and not with NO_COLOR. */
export function colour(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/**
 * Names and ids come from customers: what would steer the terminal, or reverse the text on it, is
 * shown as its number.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A time for people: to the second. Absent times are a dash. */
export function renderTime(time: string | null | undefined): string {
  return typeof time === 'string' ? time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : '-';
}
