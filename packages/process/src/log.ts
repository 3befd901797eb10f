import { pino, stdSerializers, type Logger } from 'pino';
import { activeTraceIds } from './trace-context.ts';

export type Log = Logger;

/**
 * JSON lines on standard output, each with the ids of the trace and the span in which it was
 * written. What is logged is ids, counts and durations: never a body, a key, a name or an answer.
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

// A PostgreSQL error's detail and where carry the values of the row at fault.
function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { type, message, stack } = stdSerializers.err(error);
  const code = 'code' in error ? { code: String(error.code) } : {};
  return { type, message, ...code, stack };
}
