import { LOG_FIELDS } from '@survey/process/log-fields.ts';

const MAX_LINES = 2_000;
const WORD = /^[\w:.-]{1,100}$/;

/**
 * Returns the last log lines, with the listed fields only, and only of one trace if it is given. Of
 * an error, it keeps type, code and stack frames: a message may repeat a value.
 */
export function selectLogLines(text: string, trace?: string): object[] {
  const lines: Fields[] = text.split('\n').flatMap((line) => recordIn(line) ?? []);
  const wanted = trace === undefined ? lines : lines.filter(({ trace_id }) => trace_id === trace);
  return wanted.slice(-MAX_LINES).map(withListedFields);
}

type Fields = Readonly<Record<string, unknown>>;

// Other processes may write to the same output; kubectl may put the name of the pod before a line.
function recordIn(line: string): [Fields] | undefined {
  try {
    const parsed: unknown = JSON.parse(line.slice(line.indexOf('{')));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? [parsed as Fields] : undefined;
  } catch {
    return undefined;
  }
}

function withListedFields(line: Fields): object {
  const kept = Object.entries(line).filter(([name]) => name !== 'err' && Object.hasOwn(LOG_FIELDS, name));
  return Object.fromEntries([...kept, ...('err' in line ? [['err', withoutMessage(line['err'])] as const] : [])]);
}

function withoutMessage(error: unknown): object {
  if (typeof error !== 'object' || error === null) return {};
  const { type, code, stack } = error as Fields;
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
  return { type: wordOf(type), code: wordOf(code), stack: frames.map((frame) => frame.trim()) };
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}
