import type { BusPasswords } from '@survey/local/secrets.ts';
import type { Store } from '@survey/local/store.ts';

export type TestStore = Pick<Store, 'url' | 'stop'>;

export interface TestPostgresOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly superuserPassword: string;
}

/** The stores of a test run. */
export interface TestStores {
  // One per run: the first to start and the last to stop. The URL is the superuser's.
  startPostgres(options: TestPostgresOptions): Promise<TestStore>;
  // One per stack, named after its database.
  startNats(stack: string, passwords: BusPasswords): Promise<TestStore>;
  startRedis(stack: string): Promise<TestStore>;
  // Whether their data remains in the run's folder after they stop.
  readonly keepData: boolean;
}

/** Local processes, or containers when TEST_BACKEND says so. `run` is the run's folder. */
export async function testStores(run: string): Promise<TestStores> {
  // Imported dynamically: testcontainers takes 250 ms to load, and every test file loads this
  // module.
  if (process.env['TEST_BACKEND'] === 'containers') return (await import('./containers/stores.ts')).containers(run);
  return (await import('./processes.ts')).processes(run);
}
