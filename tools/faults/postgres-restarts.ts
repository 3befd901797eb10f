import { SERVICES } from '@survey/local/service-environments.ts';
import { none, type Goal } from './goals.ts';
import type { SilentProxy } from '../../test/failure/silent-proxy.ts';
import type { ReadFixture } from './read-fixture.ts';
import { rejected, underLoad, wrong, type SeenAround } from './under-load.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const HEALTHY_WITHIN_MS = 5_000;
// 10 s statement timeout, 5 s for the response, 2 s for a new connection.
const SILENT_WITHIN_MS = 17_000;

/** Kills PostgreSQL under load and restarts it. */
export async function measurePostgresRestart(stack: WholeStack, readable: ReadFixture, forMs: number): Promise<Goal[]> {
  const { postgres, services } = stack;
  const outage = { name: 'PostgreSQL', begin: () => postgres.kill(), end: () => postgres.start() };
  const seen = await underLoad(stack, readable, outage, { forMs });
  const deaths = SERVICES.flatMap((service) => services[service].deaths);
  const what = `PostgreSQL killed, restarted after ${forMs / 1_000} s`;
  return goalsOf({ what, seen, readable, deaths, healthyWithinMs: HEALTHY_WITHIN_MS });
}

/** Drops all packets between the services and PostgreSQL while connections stay open. */
export async function measureSilence(
  stack: WholeStack,
  readable: ReadFixture,
  proxy: SilentProxy,
  forMs: number,
): Promise<Goal[]> {
  const swallow = (): Promise<void> => Promise.resolve(proxy.swallow());
  const outage = { name: 'packets lost', begin: swallow, end: () => Promise.resolve(proxy.heal()) };
  const seen = await underLoad(stack, readable, outage, { forMs, afterMs: SILENT_WITHIN_MS + 5_000 });
  const deaths = SERVICES.flatMap((service) => stack.services[service].deaths);
  const what = `packets to PostgreSQL dropped for ${forMs / 1_000} s`;
  return goalsOf({ what, seen, readable, deaths, healthyWithinMs: SILENT_WITHIN_MS });
}

interface Measured {
  readonly what: string;
  readonly seen: SeenAround;
  readonly readable: ReadFixture;
  readonly deaths: readonly string[];
  readonly healthyWithinMs: number;
}

function goalsOf({ what, seen: { away, after, endedAt }, readable, deaths, healthyWithinMs }: Measured): Goal[] {
  const all = [away, after];
  const failed = all.flatMap(rejected);
  const reads = all.reduce((sum, seen) => sum + seen.reads.length, 0);
  const promised = all.flatMap(({ imports }) => imports.filter(({ status }) => status === 202));
  const lastFailure = Math.max(endedAt, ...after.reads.filter(({ status }) => status !== 200).map(({ sentAt }) => sentAt));
  const isProper = ({ status, type }: { status: number; type: string }): boolean =>
    status >= 500 && type === 'application/problem+json';
  return [
    none(`${what}: wrong answers`, all.flatMap((seen) => wrong(seen, readable)).length, `of ${reads}`),
    none(
      `${what}: error responses other than a 5xx problem document`,
      failed.filter((read) => !isProper(read)).length,
      `of ${failed.length}`,
    ),
    {
      what: `${what}: time from PostgreSQL’s restart to the last read other than 200`,
      figure: lastFailure - endedAt,
      unit: 'ms',
      target: { atMost: healthyWithinMs },
      anchor: `${failed.length} of ${reads} rejected`,
    },
    none(`${what}: processes that ended`, deaths.length),
    none(
      `${what}: accepted imports that did not end`,
      promised.filter(({ endedMs }) => endedMs === undefined).length,
      `of ${promised.length}`,
    ),
  ];
}
