import { hash } from 'node:crypto';

interface Instance {
  readonly name: string;
  /** Calls that have not ended. */
  readonly calls: number;
}

// Instances that are not busy keep their keys, however unequal their load.
const MIN_CALLS = 16;
const MAX_CALLS_OVER_MEAN = 1.25;

/**
 * Returns the instance of a key by rendezvous hashing. The same names give the same instance in
 * every process; another name moves only the keys of one instance. An instance with 16 calls, and
 * 25 % more than the mean, is skipped. Undefined without instances.
 */
export function chooseInstance<I extends Instance>(key: string, instances: readonly I[]): I | undefined {
  const calls = instances.reduce((sum, instance) => sum + instance.calls, 1);
  const maxCalls = Math.max(MIN_CALLS, (MAX_CALLS_OVER_MEAN * calls) / instances.length);
  const [first] = instances
    .filter((instance) => instance.calls < maxCalls)
    .map((instance) => ({ instance, weight: hash('sha256', `${key} ${instance.name}`) }))
    .toSorted((a, b) => (a.weight < b.weight ? 1 : -1));
  return first?.instance;
}
