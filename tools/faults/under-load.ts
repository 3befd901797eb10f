import { setTimeout as sleep } from 'node:timers/promises';
import { percentileOf } from '../../test/support/figures.ts';
import type { ReadFixture } from './read-fixture.ts';
import { importSteadily, type SentImport } from './steady-imports.ts';
import { readSteadily, steadyNow, type Read } from './steady-reads.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

/** A temporary fault. */
export interface Outage {
  // Description, such as `NATS killed`.
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface Seen {
  readonly reads: readonly Read[];
  readonly imports: readonly SentImport[];
}

/** Requests before, during and after an outage, and its end on the clock of the requests. */
export interface SeenAround {
  readonly calm: Seen;
  readonly away: Seen;
  readonly after: Seen;
  readonly endedAt: number;
}

export interface LoadOptions {
  // Duration of the outage, and of the phase before it.
  readonly forMs: number;
  // Duration of the phase after it; default: 8 s.
  readonly afterMs?: number;
  // Employees per import; default: few.
  readonly people?: number;
}

const READS_PER_SECOND = 50;
const AFTER_MS = 8_000;

/**
 * Sends reads of every endpoint and small imports at a constant rate before, during and after an
 * outage.
 */
export async function underLoad(
  stack: WholeStack,
  readable: ReadFixture,
  outage: Outage,
  { forMs, afterMs = AFTER_MS, people }: LoadOptions,
): Promise<SeenAround> {
  const paths = [...readable.bodies.keys()];
  const reading = readSteadily({ url: stack.gatewayUrl, key: readable.key, paths, perSecond: READS_PER_SECOND });
  const importing = await importSteadily(stack, people);
  await sleep(forMs);
  const beganAt = steadyNow();
  await outage.begin();
  await sleep(forMs);
  await outage.end();
  const endedAt = steadyNow();
  await sleep(afterMs);
  const [reads, imports] = await Promise.all([reading.stop(), importing.stop()]);
  const between = (from: number, to: number): Seen => ({
    reads: reads.filter(({ sentAt }) => sentAt >= from && sentAt < to),
    imports: imports.filter(({ sentAt }) => sentAt >= from && sentAt < to),
  });
  return { calm: between(0, beganAt), away: between(beganAt, endedAt), after: between(endedAt, Infinity), endedAt };
}

export const rejected = ({ reads }: Seen): Read[] => reads.filter(({ status }) => status !== 200);

/**
 * Returns the responses with 200 whose body differs from that of the same request without faults.
 */
export function wrong({ reads }: Seen, { bodies }: ReadFixture): Read[] {
  return reads.filter(({ status, path, sha256 }) => status === 200 && bodies.get(path) !== sha256);
}

export const p99Ms = ({ reads }: Seen): number =>
  percentileOf(
    reads.map(({ tookMs }) => tookMs),
    99,
  );
