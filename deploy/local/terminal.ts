import { styleText } from 'node:util';
import { renderLine, type Paint, type Source } from './log-line.ts';

// Colours only on a terminal and without NO_COLOR: styleText checks both.
const paint: Paint = (colour, text) => styleText(colour, text, { stream: process.stdout });
const US: Source = { name: 'npm start', colour: 'white' };

/** Prints a line of the launcher itself, between those of the services. */
export function printStatus(message: string, level: 'info' | 'error' = 'info'): void {
  printServiceLine(US, JSON.stringify({ time: new Date().toISOString(), level, msg: message }));
}

/** Prints a line that a service wrote. */
export function printServiceLine(source: Source, line: string): void {
  process.stdout.write(`${renderLine(source, line, paint)}\n`);
}
