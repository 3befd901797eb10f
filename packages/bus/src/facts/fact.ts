import { hash } from 'node:crypto';
import { fromFact, type LineOf } from '../lines/from-fact.ts';
import type { FactReason } from '../lines/reasons.ts';
import type { FactKind } from '../streams.ts';
import type { Client } from '@survey/postgres/database.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';
import type { Version } from './version.ts';

/** Position of a fact, for dead letters; never part of its content. */
interface FactPosition {
  // Name of the load or the publisher.
  readonly source: string;
  // Sequence of the message in its stream.
  readonly sequence: number;
  // Offset in its batch.
  readonly position: number;
  // Line in its source.
  readonly line: number;
}

/** A received fact. */
export interface IncomingFact extends FactPosition, Version {
  readonly fact: Fact;
}

/** A fact that is valid by the schema of its kind, with its content in the form of that schema. */
export interface ValidFact<K extends FactKind = FactKind> extends IncomingFact {
  readonly content: LineOf<K>;
}

/** A rejected fact and its reason, without its content. */
export interface RejectedFact<Incoming extends FactPosition = FactPosition> {
  readonly incoming: Incoming;
  readonly reason: FactReason;
}

/**
 * Applies valid facts of one account and one kind. Returns those that can still never be applied,
 * if any. Must reach the same state whatever the order and number of deliveries. If it throws, the
 * same facts are redelivered later.
 */
export type ApplyFacts<K extends FactKind, R extends readonly RejectedFact[] | void = readonly RejectedFact[] | void> = (
  tx: Client,
  accountId: number,
  facts: readonly ValidFact<K>[],
) => Promise<R>;

// Keeps its buffer, which a new writer would have to enlarge several times for each fact. Whatever
// could be decoded can be encoded, so it never keeps half a fact.
const writer = Fact.encode({ revision: 0, line: 0 });

/** SHA-256 of a fact without its revision and its line. */
function digestOf(fact: Fact): Buffer {
  return hash('sha256', Fact.encode({ ...fact, revision: 0, line: 0 }, writer).finish(), 'buffer');
}

/** Returns a fact that did not arrive in a message as an incoming one. */
export function asIncoming(fact: Fact, position: number): IncomingFact {
  return { fact, revision: fact.revision, digest: digestOf(fact), source: '', sequence: 0, position, line: fact.line };
}

/** Separates the facts that are valid by the schema of their kind from the others. */
export function validateFacts<K extends FactKind>(
  kind: K,
  facts: readonly IncomingFact[],
): { valid: ValidFact<K>[]; rejected: RejectedFact<IncomingFact>[] } {
  const valid: ValidFact<K>[] = [];
  const rejected: RejectedFact<IncomingFact>[] = [];
  for (const incoming of facts) {
    const reading = fromFact(kind, incoming.fact);
    if ('line' in reading) valid.push({ ...incoming, content: reading.line });
    else rejected.push({ incoming, reason: reading.reason });
  }
  return { valid, rejected };
}
