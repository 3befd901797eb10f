import { styleText } from 'node:util';
import { renderLine, type Paint, type Source } from './log-line.ts';

// Colours on a terminal alone, and none where NO_COLOR asks for none: styleText looks at both.
const paint: Paint = (colour, text) => styleText(colour, text, { stream: process.stdout });
const US: Source = { name: 'npm start', colour: 'white' };

/** A line of the launcher's own, between those of the services. */
export function printStatus(message: string, level: 'info' | 'error' = 'info'): void {
  printServiceLine(US, JSON.stringify({ time: new Date().toISOString(), level, msg: message }));
}

/** A line that a service wrote. */
export function printServiceLine(source: Source, line: string): void {
  process.stdout.write(`${renderLine(source, line, paint)}\n`);
}
