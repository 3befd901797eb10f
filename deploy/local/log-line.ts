import { z } from 'zod';

const record = z.looseObject({
  time: z.string(),
  level: z.string(),
  msg: z.string().default(''),
  service: z.string().optional(),
});
const failure = z.looseObject({ type: z.string(), message: z.string(), stack: z.string().optional() });

export type Colour = 'cyan' | 'green' | 'magenta' | 'blue' | 'yellow' | 'red' | 'gray' | 'white';
// Returns the text in a colour, or unchanged where colours are not supported.
export type Paint = (colour: Colour, text: string) => string;

const LEVEL_COLOUR: Readonly<Record<string, Colour>> = { warn: 'yellow', error: 'red', fatal: 'red', debug: 'gray' };
const NAME_WIDTH = 'scoring-anonymity'.length;

export interface Source {
  readonly name: string;
  readonly colour: Colour;
}

/**
 * Renders one output line of a service for people: time, service, level, message and the other
 * fields. A line that is not a log record is returned unchanged.
 */
export function renderLine(source: Source, line: string, paint: Paint): string {
  const name = paint(source.colour, source.name.padEnd(NAME_WIDTH));
  const parsed = record.safeParse(parseJson(line));
  if (!parsed.success) return `${' '.repeat(12)} ${name} ${' '.repeat(5)} ${line}`;
  const { time, level, msg, service: _service, err, ...fields } = parsed.data;
  const clock = paint('gray', time.slice(11, 23).padEnd(12));
  const mark = paint(LEVEL_COLOUR[level] ?? 'white', level.padEnd(5));
  const rest = Object.entries(fields).map(([key, value]) => ` ${paint('gray', `${key}=`)}${renderValue(value)}`);
  return `${clock} ${name} ${mark} ${msg}${rest.join('')}${renderFailure(err, msg, paint)}`;
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function renderValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return value;
  return JSON.stringify(value);
}

function renderFailure(err: unknown, msg: string, paint: Paint): string {
  if (err === undefined) return '';
  const parsed = failure.safeParse(err);
  if (!parsed.success) return ` err=${renderValue(err)}`;
  const { type, message, stack = '' } = parsed.data;
  const calls = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return [msg === message ? '' : ` ${type}: ${message}`, ...calls.map((call) => paint('gray', `    ${call.trim()}`))].join('\n');
}
