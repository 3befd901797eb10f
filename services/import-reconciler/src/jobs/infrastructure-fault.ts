import { DatabaseUnavailableError, sqlState } from '@survey/postgres/database.ts';

// By SQLSTATE: lost connections (08), read-only servers (25), conflicts between transactions (40), shortage of connections, memory or disk (53), locks (55),
// interventions such as a shutdown (57), and faults of the server itself (58, XX). Then what Node reports of the operating system.
const INFRASTRUCTURE = /^(?:08|25|40|53|55|57|58|XX)|^E(?!RR_)[A-Z]+$/;

/** Whether an attempt failed for a reason that has nothing to do with the import. */
export function isInfrastructureFault(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError || INFRASTRUCTURE.test(sqlState(error) ?? '');
}
