import { createHash } from 'node:crypto';
import { EncodedFactBatch, Fact } from '@survey/rpc/gen/survey/intake/v1/intake.ts';

/** The message that a fact came with. */
export interface FactOrigin {
  // Names the load or the publisher.
  readonly source: string;
  // Of the message in its stream.
  readonly sequence: number;
}

/** Where a fact stands, for dead letters: never a part of what it says. */
export interface FactPosition extends FactOrigin {
  // In its batch.
  position: number;
  // In its source.
  line: number;
}

/**
 * A fact as it came, with what decides between two facts about one thing: the higher revision, then
 * the higher digest.
 */
export interface IncomingFact extends FactPosition {
  fact: Fact;
  revision: number;
  // SHA-256 of the fact without its revision and its line.
  digest: Buffer;
}

/** A fact that can never be applied, and why: without what it says. */
export interface RejectedFact {
  incoming: FactPosition;
  reason: string;
}

export interface DecodedBatch {
  accountId: number;
  facts: IncomingFact[];
  // Those that are no facts.
  undecodable: RejectedFact[];
}

/** The facts of a message; undefined when it is not a batch of facts. */
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

/** A fact that did not come with a message. */
export function asIncoming(fact: Fact, position: number): IncomingFact {
  const digest = createHash('sha256')
    .update(Fact.encode({ ...fact, revision: 0, line: 0 }).finish())
    .digest();
  return { fact, revision: fact.revision, digest, source: '', sequence: 0, position, line: fact.line };
}

/** A fact that was kept until what it refers to exists. */
export interface DeferredRow {
  fact: Buffer;
  revision: number;
  // Of the fact as it came: what is kept may be less.
  digest: Buffer;
  source: string;
  line: number;
}

export function asDeferred({ fact, ...row }: DeferredRow): IncomingFact {
  return { fact: Fact.decode(fact), ...row, sequence: 0, position: 0 };
}
