import { isDeepStrictEqual } from 'node:util';
import { jetstreamManager, JetStreamApiError } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from './bus-url.ts';
import { CONSUMERS, STREAMS } from './streams.ts';

const TIMEOUT_MS = 5_000;

interface BusState {
  /** Streams and consumers that do not exist. */
  readonly missing: readonly string[];
  /** Streams and consumers whose configuration differs from this version's. */
  readonly different: readonly string[];
  /** Streams and consumers that this bus user may not inspect. */
  readonly hidden: readonly string[];
  readonly storedBytes: number;
  /** Storage limit of the bus account, in bytes; -1: unlimited. */
  readonly maxStoredBytes: number;
}

type Verdict = 'right' | 'missing' | 'different' | 'hidden';

/**
 * Compares streams and consumers with those of this version. @throws when the bus cannot be reached
 * or rejects the user.
 */
export async function inspectBus(natsUrl: string): Promise<BusState> {
  const bus = await connect({ ...readBusUrl(natsUrl), name: 'doctor', timeout: TIMEOUT_MS, reconnect: false });
  try {
    const manager = await jetstreamManager(bus, { timeout: TIMEOUT_MS });
    const asked = [
      ...STREAMS.map((wanted) => [`stream ${wanted.name}`, verdictOn(wanted, manager.streams.info(wanted.name))] as const),
      ...Object.entries(CONSUMERS).map(([name, { stream, ...wanted }]) => {
        return [`consumer ${name}`, verdictOn(wanted, manager.consumers.info(stream, name))] as const;
      }),
    ];
    const found = await Promise.all(asked.map(async ([name, verdict]) => [name, await verdict] as const));
    const names = (wanted: Verdict): string[] => found.filter(([, verdict]) => verdict === wanted).map(([name]) => name);
    const { storage, limits } = await manager.getAccountInfo();
    return {
      missing: names('missing'),
      different: names('different'),
      hidden: names('hidden'),
      storedBytes: storage,
      maxStoredBytes: limits.max_storage,
    };
  } finally {
    await bus.close();
  }
}

async function verdictOn(wanted: object, info: Promise<{ config: object }>): Promise<Verdict> {
  try {
    const actual = new Map<string, unknown>(Object.entries((await info).config));
    return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(actual.get(key), value)) ? 'right' : 'different';
  } catch (error) {
    // The server reports that it does not exist; for a subject that the user may not publish to,
    // its error is
    // unspecific.
    return error instanceof JetStreamApiError ? 'missing' : 'hidden';
  }
}
