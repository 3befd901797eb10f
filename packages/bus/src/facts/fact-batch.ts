import { EncodedFactBatch, Fact } from '@survey/proto/intake/v1/intake.ts';
import { asIncoming, type IncomingFact, type RejectedFact } from './fact.ts';

const MAX_SOURCE = 255;

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
  const origin = { source: storable(encoded.source), sequence };
  const batch: DecodedBatch = { accountId: encoded.account_id, facts: [], undecodable: [] };
  for (const [position, bytes] of encoded.facts.entries()) {
    const fact = decodeOr(Fact, bytes);
    if (fact === undefined) batch.undecodable.push({ incoming: { ...origin, position, line: 0 }, reason: UNREADABLE });
    else batch.facts.push({ ...asIncoming(fact, position), ...origin });
  }
  return batch;
}

// Dead letters and deferred facts store the source: PostgreSQL has no U+0000, and an index row ends
// at 2,704 bytes.
const storable = (source: string): string => source.replaceAll('\0', '\u{fffd}').slice(0, MAX_SOURCE).toWellFormed();

const UNREADABLE = 'cannot be decoded: not a fact, or it contains a number beyond 2^53';

function decodeOr<T>(message: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T | undefined {
  try {
    return message.decode(bytes);
  } catch {
    return undefined;
  }
}
