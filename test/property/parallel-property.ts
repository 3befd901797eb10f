import * as fc from 'fast-check';
import { reportSkipped } from '../support/skipped.ts';

const MAX_LANES = 6;
// Report the smallest counterexample found within the time limit. It also ends a search.
const LIMIT = { interruptAfterTimeLimit: Number(process.env['FC_LIMIT'] ?? 120_000) };

/**
 * Checks a property on `seeds` random values in parallel workers, since each waits for PostgreSQL
 * most of the time. The first worker that fails shrinks its value; the first line of its error says
 * why, and which FC_SEED and FC_PATH repeat it. The others stop. Values that the time limit leaves
 * out are reported as skipped.
 */
export async function checkInParallel<T>(
  seeds: number,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  const lanes = Math.min(MAX_LANES, seeds);
  let failing: number | undefined;
  let held = 0;
  const lane = async (number: number): Promise<void> => {
    const property = fc.asyncProperty(values, async (value) => {
      if (failing !== undefined && failing !== number) return;
      try {
        await holds(value);
        held += 1;
      } catch (error) {
        failing ??= number;
        if (failing === number) throw error;
      }
    });
    const outcome = await fc.check(property, { numRuns: Math.ceil(seeds / lanes), ...LIMIT, ...replayed() });
    if (outcome.failed) throw failure(outcome);
  };
  const ends = await Promise.allSettled(Array.from({ length: lanes }, (_, number) => lane(number)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (held < seeds)
    reportSkipped('random values', `${seeds - held} of ${seeds}, after ${LIMIT.interruptAfterTimeLimit / 1_000} s`);
}

function failure(outcome: fc.RunDetails<unknown>): Error {
  const { errorInstance: cause, seed, counterexamplePath: path } = outcome;
  const [why = ''] = String(cause).split('\n', 1);
  const report = fc.defaultReportMessage(outcome) ?? '';
  return new Error(`${why} (FC_SEED=${seed} FC_PATH=${path ?? ''})\n${report}`, { cause });
}

// FC_SEED and FC_PATH as printed by a failure.
function replayed(): fc.Parameters<unknown> {
  const { FC_SEED, FC_PATH } = process.env;
  return { ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }), ...(FC_PATH === undefined ? {} : { path: FC_PATH }) };
}
