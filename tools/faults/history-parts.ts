import { join } from 'node:path';
import { none, type Goal } from './goals.ts';
import { inFolder } from '../../test/support/in-folder.ts';
import { synchronous } from './failover-parts.ts';
import type { FaultOptions } from './fault-options.ts';
import { CURRENT, startHistories, type Histories } from '../../test/failure/histories/histories.ts';
import { EVICTING, runFaults, startReplicatedStack } from '../../test/failure/histories/replicated-stack.ts';
import { startWholeStack } from '../../test/failure/whole-stack.ts';

// Without the message about a revocation, a gateway looks a key up again within 10 s.
const REVOKED_WITHIN_MS = 11_000;
const SETTLED_VERSIONS = 3;

/** Readers of both gateways during random faults, with one seed per round. */
export const histories = ({ rounds, seed, faults }: FaultOptions): Promise<Goal[]> =>
  inFolder(async (folder) => {
    await using stack = await startReplicatedStack(folder);
    await using run = await startHistories(stack, { routes: stack.routes, revokedWithinMs: REVOKED_WITHIN_MS });
    let injected = 0;
    for (let round = 0; round < rounds; round += 1) {
      injected += await runFaults(stack, seed + round, faults);
      await run.progress(SETTLED_VERSIONS);
      tell(`seed ${seed + round}`, run);
    }
    return [goalOf(run, `${injected} faults`)];
  });

/** Readers of a gateway during failovers of PostgreSQL, of which none may lose a commit. */
export const failoverHistories = ({ rounds }: Pick<FaultOptions, 'rounds'>): Promise<Goal[]> =>
  inFolder(async (folder) => {
    await using started = new AsyncDisposableStack();
    const { given, failovers } = await synchronous(folder, started);
    const options = { folder: join(folder, 'stack'), given, nodeOptions: () => EVICTING };
    const stack = started.use(await startWholeStack(options));
    const routes = [{ name: 'the gateway', url: stack.gatewayUrl, employees: CURRENT }];
    const run = started.use(await startHistories(stack, { routes, revokedWithinMs: REVOKED_WITHIN_MS }));
    for (let round = 0; round < rounds; round += 1)
      for (const { name, begin } of failovers) {
        await begin();
        await run.progress(SETTLED_VERSIONS);
        tell(name, run);
      }
    return [goalOf(run, `${rounds * failovers.length} failovers`)];
  });

function tell(name: string, run: Histories): void {
  const [rejected, anomalies] = [run.rejected().length, run.anomalies().length];
  console.log(`  ${name}: ${JSON.stringify(run.counts())}, ${rejected} requests rejected, ${anomalies} anomalies`);
}

function goalOf(run: Histories, during: string): Goal {
  const anomalies = run.anomalies();
  for (const what of anomalies.slice(0, 20)) console.log(`  ✗ ${what}`);
  const what = 'pages of several versions, that go back, or that are later than allowed';
  return none(what, anomalies.length, `of ${run.counts()['reads'] ?? 0}; ${during}`);
}
