import * as fc from 'fast-check';

const LANES = 6;
// Report the smallest counterexample found within the time limit.
const SHRINKING = { interruptAfterTimeLimit: Number(process.env['FC_LIMIT'] ?? 120_000) };

/**
 * Checks a property on `seeds` random values in parallel workers, since each waits for PostgreSQL
 * most of the time. The first worker that fails shrinks its value; fast-check's error names its
 * seed and path. The others stop.
 */
export async function checkInParallel<T>(
  seeds: number,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  let failing: number | undefined;
  const lane = (number: number): Promise<void> => {
    const property = fc.asyncProperty(values, async (value) => {
      if (failing !== undefined && failing !== number) return;
      try {
        await holds(value);
      } catch (error) {
        failing ??= number;
        if (failing === number) throw error;
      }
    });
    return fc.assert(property, { numRuns: Math.ceil(seeds / LANES), ...SHRINKING, ...replayed() });
  };
  const ends = await Promise.allSettled(Array.from({ length: LANES }, (_, number) => lane(number)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

// FC_SEED and FC_PATH as printed by a failure.
function replayed(): fc.Parameters<unknown> {
  const { FC_SEED, FC_PATH } = process.env;
  return { ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }), ...(FC_PATH === undefined ? {} : { path: FC_PATH }) };
}
