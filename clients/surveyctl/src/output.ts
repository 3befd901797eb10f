import { styleText } from 'node:util';
import type { Command } from 'commander';
import Table from 'cli-table3';
import { writeFile } from 'node:fs/promises';
import { causeOf } from '@survey/process/cause-of.ts';
import { CommandError, EXIT } from './command-error.ts';

type Style = 'green' | 'yellow' | 'red' | 'bold';

/** Prints a result: one line of JSON with --json, else the text of `forPeople`. */
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
 * Renders rows under a heading in columns, without borders, so that other programs can cut them.
 */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'none';
  const lines = render([head.map((title) => colour('bold', title)), ...rows.map((row) => row.map(printable))]);
  return lines;
}

/** Renders an object, one line per property. */
export function renderFields(fields: Readonly<Record<string, string>>): string {
  return render(Object.entries(fields).map(([label, value]) => [colour('bold', label), printable(value)]));
}

function render(cells: string[][]): string {
  // No colours of its own: its borders would contain some even without a terminal.
  const table = new Table({ chars: NO_LINES, style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] } });
  for (const row of cells) table.push(row);
  return table.toString().replaceAll(/[ ]+$/gm, '');
}

/** Applies colours only on a terminal and without NO_COLOR. */
export function colour(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/**
 * Escapes characters that would control the terminal or reverse its text: names and ids come from
 * customers.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Renders a time for people, to the second. Absent times are a dash. */
export function renderTime(time: string | null | undefined): string {
  return typeof time === 'string' ? time.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : '-';
}

/** Writes a new file, readable by this user only. @throws CommandError when it exists */
export async function writeNewFile(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    throw new CommandError(`cannot write ${file}: ${causeOf(cause)}. Name a new file in an existing folder`, EXIT.usage, {
      cause,
    });
  });
}
