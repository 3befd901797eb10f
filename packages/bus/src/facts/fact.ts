import { BinaryReader } from '@bufbuild/protobuf/wire';
import { hash } from 'node:crypto';
import { fromFact, type LineOf } from '../lines/from-fact.ts';
import type { FactReason } from '../lines/reasons.ts';
import type { FactKind } from '../streams.ts';
import type { Client } from '@survey/postgres/database.ts';
import { Fact } from '@survey/proto/intake/v1/intake.ts';

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

// Fields of a fact.
const [REVISION, LINE] = [1, 15];

/** SHA-256 of an encoded fact without its revision and its line, wherever they stand. */
function digestOf(bytes: Uint8Array): Buffer {
  const reader = new BinaryReader(bytes);
  const content: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [field, type] = reader.tag();
    reader.skip(type, field);
    if (field !== REVISION && field !== LINE) content.push(bytes.subarray(start, reader.pos));
  }
  return hash('sha256', Buffer.concat(content), 'buffer');
}

/** Where a fact is in a message. */
type Arrival = Omit<FactPosition, 'line'>;

/**
 * Decodes a fact.
 * @throws if the bytes are not a fact
 */
export function decodeFact(bytes: Uint8Array, arrival: Arrival): IncomingFact {
  return incomingOf(Fact.decode(bytes), bytes, arrival);
}

/** Returns a fact that did not arrive in a message as an incoming one. */
export function asIncoming(fact: Fact, position: number): IncomingFact {
  return incomingOf(fact, Fact.encode(fact).finish(), { source: '', sequence: 0, position });
}

function incomingOf(fact: Fact, bytes: Uint8Array, { source, sequence, position }: Arrival): IncomingFact {
  const { revision, line } = fact;
  return { fact, revision, digest: digestOf(bytes), source, sequence, position, line };
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

/**
 * Decides between two facts about one object: the higher revision, then the bytewise higher digest.
 */
export interface Version {
  readonly revision: number;
  // SHA-256 of the fact as received, without its revision and its line.
  readonly digest: Buffer;
}

export function isNewer(one: Version, other: Version | undefined): boolean {
  if (other === undefined || one.revision !== other.revision) return other === undefined || one.revision > other.revision;
  return Buffer.compare(one.digest, other.digest) > 0;
}

/** Keeps the newest fact per object: one SQL statement can write a row only once. */
export function latestByKey<F extends Version>(facts: readonly F[], keyOf: (fact: F) => string | number): F[] {
  const latest = new Map<string | number, F>();
  for (const fact of facts) {
    const key = keyOf(fact);
    if (isNewer(fact, latest.get(key))) latest.set(key, fact);
  }
  return [...latest.values()];
}
