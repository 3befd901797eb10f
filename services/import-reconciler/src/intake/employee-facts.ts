import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { deferFacts, waitingForAddress, deferredFactKey } from '../sql/deferred-facts.ts';
import { AccountBusyError, lockForFacts } from './lock-for-facts.ts';
import { parseEmployeeFact, InvalidFactError } from './parse-employee-fact.ts';
import { applyDeferredFacts } from './retry-deferred.ts';
import type { EmployeeFact } from './employee-fact.ts';
import { writeFacts } from './write-facts.ts';

// Time during which an account's facts are redelivered without waiting for its lock; each wait
// would block a slot that other accounts need.
const RETRY_AFTER_MS = 5_000;

/**
 * Creates the handler of employee facts: full employees and edits. Edits of unknown employees are
 * deferred.
 * A fact whose address belongs to another active employee is rejected and also deferred, because it
 * may have overtaken the fact that frees the address.
 */
export function createEmployeeFactHandler(): FactConsumer['apply'] {
  const busyUntil = new Map<number, number>();
  return async (tx, accountId, facts) => {
    if ((busyUntil.get(accountId) ?? 0) > performance.now()) throw new AccountBusyError('an import has the account');
    busyUntil.delete(accountId);
    const { statements, rejected } = readStatements(facts);
    if (statements.size === 0) return rejected;
    const account = await lockForFacts(tx, accountId).catch((error: unknown) => {
      if (error instanceof AccountBusyError) busyUntil.set(accountId, performance.now() + RETRY_AFTER_MS);
      throw error;
    });
    const { unknown, refused } = await writeFacts(tx, account, [...statements.keys()]);
    await deferFacts(tx, accountId, 'edit', unknown);
    await deferFacts(tx, accountId, 'address', refused);
    await applyDeferredFacts(tx, account);
    if (refused.length === 0) return rejected;
    const waiting = await waitingForAddress(tx, accountId, refused.map(deferredFactKey));
    const stillRefused = refused.filter((statement) => waiting.has(deferredFactKey(statement)));
    return [...rejected, ...stillRefused.flatMap((statement) => emailConflictRejection(statements.get(statement)))];
  };
}

function emailConflictRejection(incoming: IncomingFact | undefined): RejectedFact[] {
  return incoming === undefined ? [] : [{ incoming, reason: 'the e-mail address belongs to another active employee' }];
}

function readStatements(facts: readonly IncomingFact[]): {
  statements: Map<EmployeeFact, IncomingFact>;
  rejected: RejectedFact[];
} {
  const statements = new Map<EmployeeFact, IncomingFact>();
  const rejected: RejectedFact[] = [];
  for (const incoming of facts) {
    try {
      statements.set(parseEmployeeFact(incoming), incoming);
    } catch (error) {
      if (!(error instanceof InvalidFactError)) throw error;
      rejected.push({ incoming, reason: error.message });
    }
  }
  return { statements, rejected };
}
