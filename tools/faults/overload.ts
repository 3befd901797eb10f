import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemo } from '@survey/local/demo.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import type { Demo, Stack } from '@survey/local/stack-file.ts';
import { tellGoals, type Goal } from './goals.ts';
import { loadWith, type Outcome } from './http-load.ts';

const HELP = `Overloads the gateway and prints the figures with their comparison values.

  npm run test:overload -- [SECONDS] [--json FILE]     of each step; 10 by default, 60 is the full size
`;

// Maximum concurrent reads of one gateway.
const CONNECTIONS = 32;
const PATH = '/v1/employees?limit=100';

interface Bench {
  readonly url: string;
  readonly key: string;
  readonly otherKey: string;
  readonly forMs: number;
}

async function measure({ url, key, otherKey, forMs }: Bench): Promise<Goal[]> {
  const load = (connections: number, perSecond?: number): Promise<Outcome> =>
    loadWith({ url, key, connections, forMs, ...(perSecond !== undefined && { perSecond }) });
  const other = (): Promise<Outcome> => loadWith({ url, key: otherKey, connections: 2, forMs, perSecond: 20 });
  await load(CONNECTIONS);
  const peak = await load(CONNECTIONS);
  const easy = await load(CONNECTIONS, 0.8 * peak.goodput);
  const goals: Goal[] = [];
  for (const times of [2, 5, 10])
    goals.push(...overloaded(times, await load(times * CONNECTIONS, times * peak.goodput), peak, easy));
  const after = await loadWith({ url, key, connections: CONNECTIONS, forMs: 5_000 });
  goals.push(
    atLeast(
      'goodput in the first 5 s afterwards, relative to the peak',
      after.goodput / peak.goodput,
      0.9,
      `${peak.goodput.toFixed()} /s`,
    ),
  );
  const beside = await Promise.all([other(), load(CONNECTIONS)]);
  const flooded = await Promise.all([other(), load(10 * CONNECTIONS, 10 * peak.goodput)]);
  goals.push(
    atMost(
      'p99 of an account while another sends 10 times the capacity, relative to the peak',
      flooded[0].goodP99Ms / beside[0].goodP99Ms,
      2,
      `${beside[0].goodP99Ms.toFixed(1)} ms`,
    ),
    atMost(
      'rejected or failed requests of this account',
      flooded[0].shed + flooded[0].failed,
      0,
      `${flooded[0].answered} answered`,
    ),
  );
  return goals;
}

function overloaded(times: number, seen: Outcome, peak: Outcome, easy: Outcome): Goal[] {
  const at = `at ${times} times what fits`;
  return [
    atLeast(`goodput ${at}, of peak`, seen.goodput / peak.goodput, 0.9, `${peak.goodput.toFixed()} /s`),
    atMost(
      `p99 of accepted requests ${at}, relative to 80 % load`,
      seen.goodP99Ms / easy.goodP99Ms,
      2,
      `${easy.goodP99Ms.toFixed(1)} ms`,
    ),
    atMost(`p99 ms of rejected requests ${at}`, seen.shedP99Ms, 50, `${seen.shed} shed, p50 ${seen.shedP50Ms.toFixed(1)} ms`),
    atMost(
      `rejections without Retry-After, and failures, ${at}`,
      seen.shedWithoutRetryAfter + seen.failed,
      0,
      `${seen.shed} shed`,
    ),
  ];
}

const atLeast = (what: string, figure: number, least: number, anchor: string): Goal => ({
  what,
  figure,
  unit: '',
  target: { atLeast: least },
  anchor,
});
const atMost = (what: string, figure: number, most: number, anchor: string): Goal => ({
  what,
  figure,
  unit: '',
  target: { atMost: most },
  anchor,
});

async function accounts(stack: Stack): Promise<[Demo, Demo]> {
  const large = await createDemo({
    gatewayUrl: stack.gateway_url,
    accountAdminAddress: stack.account_admin_address,
    natsUrl: stack.nats_url,
    log: () => {},
  });
  const other = await createDemoAccount(stack.account_admin_address);
  return [large, other];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, json: { type: 'string' } },
  });
  if (values.help === true) return console.log(HELP);
  const [seconds = '10'] = positionals;
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-overload-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'error' };
  // No rate limit, so that concurrency limits are measured.
  process.env['RATE_LIMIT'] = '1000000';
  const { stack } = await startLocalStack({ folder, demo: false, given, started });
  const [large, other] = await accounts(stack);
  const url = `${stack.gateway_url}${PATH}`;
  const goals = await measure({ url, key: large.read_key, otherKey: other.read_key, forMs: Number(seconds) * 1_000 });
  await tellGoals(goals, values.json);
}

await main();
