import { SERVICES } from '@survey/local/service-environments.ts';
import { peakMebibytes, resetPeak } from '../../test/support/process-memory.ts';
import { none, type Goal } from './goals.ts';
import type { ReadFixture } from './read-fixture.ts';
import type { Read } from './steady-reads.ts';
import { rejected, underLoad, wrong, type Outage } from './under-load.ts';
import type { WholeStack } from '../../test/failure/whole-stack.ts';

const LEEWAY_MS = 100;
const MEMORY_MIB = 64;
const HEALTHY_WITHIN_MS = 5_000;

// Deadlines of the gateway by endpoint (services/gateway/src).
const deadlineMs = (path: string): number => (path.startsWith('/v1/text_responses') ? 10_000 : 2_000);

const READ_OF = {
  export: (path: string) => !/scores|text_responses/.test(path),
  'scoring-anonymity': (path: string) => /scores|text_responses/.test(path),
  'text-analysis': (path: string) => path.startsWith('/v1/text_responses'),
  'import-reconciler': () => false,
  'account-admin': () => false,
  PostgreSQL: () => true,
} as const;
type Peer = keyof typeof READ_OF;
const PEERS: readonly Peer[] = [
  'export',
  'scoring-anonymity',
  'text-analysis',
  'import-reconciler',
  'account-admin',
  'PostgreSQL',
];

/**
 * Freezes each upstream service and PostgreSQL in turn. Requests that need it must get a
 * response by their deadline; other requests must not be affected.
 */
export async function measureFrozenDependencies(stack: WholeStack, readable: ReadFixture, forMs: number): Promise<Goal[]> {
  const goals: Goal[] = [];
  for (const peer of PEERS) goals.push(...(await measureFrozen(stack, readable, peer, forMs)));
  const deaths = SERVICES.flatMap((service) => stack.services[service].deaths);
  return [...goals, none('processes that ended', deaths.length)];
}

async function measureFrozen(stack: WholeStack, readable: ReadFixture, peer: Peer, forMs: number): Promise<Goal[]> {
  const pid = stack.services.gateway.pid ?? 0;
  let before = 0;
  const begin = async (): Promise<void> => {
    before = await peakMebibytes(pid);
    await resetPeak(pid);
    await outageOf(stack, peer).begin();
  };
  const { away, after, endedAt } = await underLoad(stack, readable, { ...outageOf(stack, peer), begin }, { forMs });
  const grown = (await peakMebibytes(pid)) - before;
  const late = Math.max(...away.reads.map(({ tookMs, path }) => tookMs - deadlineMs(path)));
  const others = [...rejected(away), ...rejected(after)].filter(({ path }) => !READ_OF[peer](path));
  const lastFailure = Math.max(endedAt, ...rejected(after).map(({ sentAt }: Read) => sentAt));
  const what = `${peer} standing still for ${forMs / 1_000} s`;
  const rejections = `${rejected(away).length} of ${away.reads.length} rejected`;
  return [
    {
      what: `${what}: latest answer, after its deadline`,
      figure: late,
      unit: 'ms',
      target: { atMost: LEEWAY_MS },
      anchor: rejections,
    },
    none(`${what}: wrong answers`, [away, after].flatMap((seen) => wrong(seen, readable)).length),
    none(`${what}: rejected reads that do not need it`, others.length),
    {
      what: `${what}: additional memory of the gateway`,
      figure: grown,
      unit: 'MiB',
      target: { atMost: MEMORY_MIB },
      anchor: `${before} MiB before`,
    },
    {
      what: `${what}: time from its end to the last read other than 200`,
      figure: lastFailure - endedAt,
      unit: 'ms',
      target: { atMost: HEALTHY_WITHIN_MS },
      anchor: '',
    },
  ];
}

function outageOf(stack: WholeStack, peer: Peer): Outage {
  if (peer === 'PostgreSQL') return { name: peer, begin: () => stack.postgres.pause(), end: () => stack.postgres.resume() };
  const service = stack.services[peer];
  return {
    name: peer,
    begin: () => Promise.resolve(service.pause()),
    end: () => Promise.resolve(service.resume()),
  };
}
