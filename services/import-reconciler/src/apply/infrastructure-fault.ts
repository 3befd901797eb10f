import { DatabaseUnavailableError, sqlState } from '@survey/postgres/database-error.ts';

// SQLSTATE classes: lost connection (08), read-only server (25), transaction conflict (40),
// shortage of connections, memory or disk (53), locks (55), intervention such as shutdown (57),
// server faults (58, XX). Then operating-system errors of Node.js.
const INFRASTRUCTURE = /^(?:08|25|40|53|55|57|58|XX)|^E(?!RR_)[A-Z]+$/;

/** Returns whether an attempt failed for a reason unrelated to the import. */
export function isInfrastructureFault(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || INFRASTRUCTURE.test(sqlState(error) ?? '');
}
