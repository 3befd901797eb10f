import type { FactConsumer, IncomingFact, RejectedFact } from '@survey/bus/intake.ts';
import { keepWaiting, waitingForAddress, waitingKey } from '../sql/waiting-facts.ts';
import { AccountBusy, lockForFacts } from './lock-for-facts.ts';
import { readStatement, UnfitFact } from './read-statement.ts';
import { applyWaiting } from './retry-waiting.ts';
import type { Statement } from './statement.ts';
import { writeStatements } from './write-statements.ts';

// How long an account's facts are sent back at once when its lock could not be had: each wait would take a place from other accounts.
const BUSY_MS = 5_000;

/**
 * Applies facts about employees: whole ones of the application, and edits of any. An edit of an employee who is not there yet waits for him.
 * One that gives an employee an address that another active employee has is rejected, and applied after all should the address become
 * free: it may only have overtaken the fact that frees it.
 */
export function employeeFacts(): FactConsumer['apply'] {
  const busyUntil = new Map<number, number>();
  return async (tx, accountId, facts) => {
    if ((busyUntil.get(accountId) ?? 0) > performance.now()) throw new AccountBusy('an import has the account');
    busyUntil.delete(accountId);
    const { statements, rejected } = readStatements(facts);
    if (statements.size === 0) return rejected;
    const account = await lockForFacts(tx, accountId).catch((error: unknown) => {
      if (error instanceof AccountBusy) busyUntil.set(accountId, performance.now() + BUSY_MS);
      throw error;
    });
    const { unknown, refused } = await writeStatements(tx, account, [...statements.keys()]);
    await keepWaiting(tx, accountId, 'edit', unknown);
    await keepWaiting(tx, accountId, 'address', refused);
    await applyWaiting(tx, account);
    if (refused.length === 0) return rejected;
    const waiting = await waitingForAddress(tx, accountId, refused.map(waitingKey));
    const stillRefused = refused.filter((statement) => waiting.has(waitingKey(statement)));
    return [...rejected, ...stillRefused.flatMap((statement) => rejectionOf(statements.get(statement)))];
  };
}

function rejectionOf(incoming: IncomingFact | undefined): RejectedFact[] {
  return incoming === undefined ? [] : [{ incoming, reason: 'the e-mail address belongs to another active employee' }];
}

function readStatements(facts: readonly IncomingFact[]): { statements: Map<Statement, IncomingFact>; rejected: RejectedFact[] } {
  const statements = new Map<Statement, IncomingFact>();
  const rejected: RejectedFact[] = [];
  for (const incoming of facts) {
    try {
      statements.set(readStatement(incoming), incoming);
    } catch (error) {
      if (!(error instanceof UnfitFact)) throw error;
      rejected.push({ incoming, reason: error.message });
    }
  }
  return { statements, rejected };
}
