import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.local', import.meta.url));
const FILE = `${FOLDER}/year.log`;

/**
 * Notes what has happened on a day of the year that several tests play, for a reader. Called when
 * the test has seen it. `npm run test:cluster` prints the log.
 */
export function onDay(day: number, happened: string): void {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(FILE, `${day}\t${new Date().toISOString()}\t${happened}\n`);
}

/** Returns the year, by days. What happened in several runs is listed once, with its last time. */
export function readYear(): string {
  if (!existsSync(FILE)) return '';
  const lines = readFileSync(FILE, 'utf8').trim().split('\n');
  const last = new Map(
    lines.map((line) => line.split('\t')).map(([day, at, happened]) => [`${day} ${happened}`, { day, at, happened }]),
  );
  const rows = [...last.values()].toSorted((one, other) => Number(one.day) - Number(other.day));
  return ['the year:', ...rows.map(({ day, at, happened }) => `  day ${day?.padStart(3)}  ${happened} (seen ${at})`)].join('\n');
}
