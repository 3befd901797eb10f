import { pino, stdSerializers } from 'pino';
import { codeOf, withoutCredentials } from './cause-of.ts';
import type { LOG_FIELDS } from './log-fields.ts';
import { activeTraceIds } from './trace-context.ts';

type Fields = { readonly [Field in keyof typeof LOG_FIELDS]?: unknown };
type Write = (...line: [fields: Fields, message: string] | [message: string]) => void;

/** Writes lines with the listed fields only. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>> & { child(fields: Fields): Log };

/**
 * Logs JSON lines to standard output, with the ids of the current trace and span. Log only ids,
 * counts and durations: never a body, a key, a name or an answer.
 */
export function createLog(service: string, level: string): Log {
  return pino({
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    mixin: activeTraceIds,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorFields },
  });
}

// Omits a PostgreSQL error's detail and where: they contain values of the row.
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutCredentials(String(error)) };
  const { type, message, stack } = stdSerializers.err(error);
  const code = codeOf(error);
  const [safeMessage, safeStack] = [message, stack].map(withoutCredentials);
  return { type, message: safeMessage, ...(code !== undefined && { code }), stack: safeStack };
}
