import { none, type Goal } from './goals.ts';
import { inFolder } from '../../test/support/in-folder.ts';
import type { FaultOptions } from './fault-options.ts';
import { startHistories } from '../../test/failure/histories/histories.ts';
import { runFaults, startReplicatedStack } from '../../test/failure/histories/replicated-stack.ts';

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
      console.log(`  seed ${seed + round}: ${JSON.stringify(run.counts())}, ${run.rejected().length} requests rejected`);
    }
    const anomalies = run.anomalies();
    for (const what of anomalies.slice(0, 20)) console.log(`  ✗ ${what}`);
    const reads = run.counts()['reads'] ?? 0;
    return [
      none(
        'pages of several versions, that go back, or that are later than allowed',
        anomalies.length,
        `of ${reads}; ${injected} faults`,
      ),
    ];
  });
