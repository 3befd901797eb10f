import { isDeepStrictEqual } from 'node:util';
import { DiscardPolicy, type JetStreamManager, jetstreamManager, JetStreamApiError } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { causeOf } from '@survey/process/cause-of.ts';
import { z } from 'zod';
import { readBusUrl } from './bus-url.ts';
import { messagesAhead } from './position.ts';
import { type ConsumerName, CONSUMERS, isAtLeast, OLDEST_SERVER, STREAMS } from './streams.ts';

const TIMEOUT_MS = 5_000;

interface BusState {
  readonly serverVersion: string;
  /** Whether this version of nats-server is known to lose acknowledged messages. */
  readonly isServerTooOld: boolean;
  /** Streams and consumers that do not exist. */
  readonly missing: readonly string[];
  /** Streams and consumers whose configuration differs from this version's. */
  readonly different: readonly string[];
  /** In a cluster, streams with a single copy, and streams whose copies lag. */
  readonly weakCopies: readonly string[];
  /** Consumers that are ahead of the end of their stream, because NATS has lost messages. */
  readonly ahead: readonly string[];
  /** Streams and consumers that this bus user may not inspect. */
  readonly hidden: readonly string[];
  /** Why, in one line. */
  readonly hiddenBecause: string;
  readonly storedBytes: number;
  /** Storage limit of the bus account, in bytes; -1: unlimited. */
  readonly maxStoredBytes: number;
}

type Verdict = 'right' | 'missing' | 'different' | 'hidden';

/**
 * Compares streams and consumers with what this version expects. @throws when the bus cannot be
 * reached or rejects the user.
 */
export async function inspectBus(natsUrl: string): Promise<BusState> {
  const bus = await connect({ ...readBusUrl(natsUrl), name: 'doctor', timeout: TIMEOUT_MS, reconnect: false });
  try {
    const manager = await jetstreamManager(bus, { timeout: TIMEOUT_MS });
    const reasons = new Set<string>();
    const pendingVerdicts = [
      ...STREAMS.map(
        (wanted) => [`stream ${wanted.name}`, verdictOn(wanted, manager.streams.info(wanted.name), reasons)] as const,
      ),
      ...Object.entries(CONSUMERS).map(([name, { stream, ...wanted }]) => {
        return [`consumer ${name}`, verdictOn(wanted, manager.consumers.info(stream, name), reasons)] as const;
      }),
    ];
    const verdicts = await Promise.all(pendingVerdicts.map(async ([name, verdict]) => [name, await verdict] as const));
    const names = (wanted: Verdict): string[] => verdicts.filter(([, verdict]) => verdict === wanted).map(([name]) => name);
    const { storage, limits } = await manager.getAccountInfo();
    const serverVersion = bus.info?.version ?? '0';
    return {
      serverVersion,
      isServerTooOld: !isAtLeast(serverVersion, OLDEST_SERVER),
      missing: names('missing'),
      different: names('different'),
      hidden: names('hidden'),
      hiddenBecause: [...reasons].join('; '),
      ahead: (await Promise.all(Object.keys(CONSUMERS).map((name) => aheadOf(manager, name as ConsumerName)))).flat(),
      // A server that is alone calls itself the leader of a cluster.
      weakCopies:
        bus.info?.cluster === undefined ? [] : (await Promise.all(STREAMS.map(({ name }) => weakCopiesOf(manager, name)))).flat(),
      storedBytes: storage,
      maxStoredBytes: limits.max_storage,
    };
  } finally {
    await bus.close();
  }
}

async function aheadOf(manager: JetStreamManager, name: ConsumerName): Promise<string[]> {
  const { stream } = CONSUMERS[name];
  try {
    const lost = messagesAhead(
      (await manager.consumers.info(stream, name)).delivered.stream_seq,
      await manager.streams.info(stream),
    );
    return lost > 0 ? [`${name} by ${lost} messages`] : [];
  } catch {
    // A consumer that cannot be read is listed elsewhere, as missing or hidden.
    return [];
  }
}

async function weakCopiesOf(manager: JetStreamManager, stream: string): Promise<string[]> {
  // A stream that cannot be read is listed elsewhere, as missing or hidden.
  const info = await manager.streams.info(stream).catch(() => undefined);
  if (info === undefined) return [];
  const { config, cluster } = info;
  if (config.num_replicas === 1) return [`${stream} has one copy`];
  const lagging = (cluster?.replicas ?? []).filter(({ current }) => !current);
  return lagging.length > 0 ? [`${stream} lacks ${lagging.length} of ${config.num_replicas} copies`] : [];
}

const serverVariables = z.object({ jetstream: z.object({ config: z.object({ sync_always: z.boolean().default(false) }) }) });

/**
 * Returns whether the server syncs each message before it acknowledges it. `monitoringUrl` is the
 * server's monitoring endpoint, such as `http://nats:8222`: clients cannot see the setting.
 * @throws when it cannot be read
 */
export async function syncsAlways(monitoringUrl: string): Promise<boolean> {
  const response = await fetch(new URL('/varz', monitoringUrl), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return serverVariables.parse(await response.json()).jetstream.config.sync_always;
}

async function verdictOn(wanted: object, info: Promise<{ config: object }>, reasons: Set<string>): Promise<Verdict> {
  try {
    const { config } = await info;
    const actual = new Map<string, unknown>(Object.entries(config));
    // A stream with a limit rejects messages instead of dropping old ones (provision.ts).
    if (Number(actual.get('max_bytes')) > 0 && actual.get('discard') === DiscardPolicy.New)
      actual.set('discard', DiscardPolicy.Old);
    return Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(actual.get(key), value)) ? 'right' : 'different';
  } catch (error) {
    // The server reports that it does not exist; for a subject that the user may not publish to,
    // its error is unspecific.
    if (error instanceof JetStreamApiError) return 'missing';
    reasons.add(causeOf(error));
    return 'hidden';
  }
}
