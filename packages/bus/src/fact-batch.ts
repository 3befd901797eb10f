import { createHash } from 'node:crypto';
import { EncodedFactBatch, Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';

/** The message that carried a fact. */
export interface FactOrigin {
  // Name of the load or the publisher.
  readonly source: string;
  // Sequence of the message in its stream.
  readonly sequence: number;
}

/** Position of a fact, for dead letters; never part of its content. */
export interface FactPosition extends FactOrigin {
  // Offset in its batch.
  position: number;
  // Line in its source.
  line: number;
}

/**
 * A received fact with the values that order facts about one object: the higher revision wins, then
 * the higher digest.
 */
export interface IncomingFact extends FactPosition {
  fact: Fact;
  revision: number;
  // SHA-256 of the fact without its revision and its line.
  digest: Buffer;
}

/** A rejected fact and its reason, without its content. */
export interface RejectedFact {
  incoming: FactPosition;
  reason: string;
}

export interface DecodedBatch {
  accountId: number;
  facts: IncomingFact[];
  // Items that are not facts.
  undecodable: RejectedFact[];
}

/** Returns the facts of a message; undefined when it is not a batch of facts. */
export function readBatch(payload: Uint8Array, sequence: number): DecodedBatch | undefined {
  const encoded = decodeOr(EncodedFactBatch, payload);
  if (encoded === undefined || encoded.account_id < 1) return undefined;
  const origin = { source: encoded.source, sequence };
  const batch: DecodedBatch = { accountId: encoded.account_id, facts: [], undecodable: [] };
  for (const [position, bytes] of encoded.facts.entries()) {
    const fact = decodeOr(Fact, bytes);
    if (fact === undefined) batch.undecodable.push({ incoming: { ...origin, position, line: 0 }, reason: UNREADABLE });
    else batch.facts.push({ ...asIncoming(fact, position), ...origin });
  }
  return batch;
}

const UNREADABLE = 'cannot be read: not a fact, or a number in it is beyond 2^53';

function decodeOr<T>(message: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T | undefined {
  try {
    return message.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns a fact that did not arrive in a message as an incoming one. */
export function asIncoming(fact: Fact, position: number): IncomingFact {
  const digest = createHash('sha256')
    .update(Fact.encode({ ...fact, revision: 0, line: 0 }).finish())
    .digest();
  return { fact, revision: fact.revision, digest, source: '', sequence: 0, position, line: fact.line };
}

/** A deferred fact as stored. */
export interface DeferredRow {
  fact: Buffer;
  revision: number;
  // Digest of the fact as received: the stored content may be a part of it.
  digest: Buffer;
  source: string;
  line: number;
}

export function asDeferred({ fact, ...row }: DeferredRow): IncomingFact {
  return { fact: Fact.decode(fact), ...row, sequence: 0, position: 0 };
}
