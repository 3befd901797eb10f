import { setTimeout as sleep } from 'node:timers/promises';
import { percentileOf } from '../support/figures.ts';
import type { ReadFixture } from './read-fixture.ts';
import { importSteadily, type SentImport } from './steady-imports.ts';
import { readSteadily, steadyNow, type Read } from './steady-reads.ts';
import type { WholeStack } from './whole-stack.ts';

/** Something that is away for a while. */
export interface Outage {
  // Such as `NATS killed`.
  readonly name: string;
  begin(): Promise<void>;
  end(): Promise<void>;
}

export interface Seen {
  readonly reads: readonly Read[];
  readonly imports: readonly SentImport[];
}

/** What customers saw before, during and after an outage. `endedAt` is when it was over, in the time of the requests. */
export interface SeenAround {
  readonly calm: Seen;
  readonly away: Seen;
  readonly after: Seen;
  readonly endedAt: number;
}

export interface LoadOptions {
  // Of the time before the outage, and of the outage.
  readonly forMs: number;
  // Of the time after it; 8 s unless told.
  readonly afterMs?: number;
  // In each import; few unless told.
  readonly people?: number;
}

const READS_PER_SECOND = 50;
const AFTER_MS = 8_000;

/** Reads of every endpoint and small imports go on at one pace: for a while with everything there, as long during the outage, and after it. */
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
  const begunAt = steadyNow();
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
  return { calm: between(0, begunAt), away: between(begunAt, endedAt), after: between(endedAt, Infinity), endedAt };
}

export const refused = ({ reads }: Seen): Read[] => reads.filter(({ status }) => status !== 200);

/** A 200 that does not say what the same request was answered with when all was well. */
export function wrong({ reads }: Seen, { bodies }: ReadFixture): Read[] {
  return reads.filter(({ status, path, sha256 }) => status === 200 && bodies.get(path) !== sha256);
}

export const p99Ms = ({ reads }: Seen): number =>
  percentileOf(
    reads.map(({ tookMs }) => tookMs),
    99,
  );
