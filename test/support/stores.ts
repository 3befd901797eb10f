import type { BusPasswords } from '@survey/local/secrets.ts';
import type { Store } from '@survey/local/store.ts';

export type TestStore = Pick<Store, 'url' | 'stop'>;

export interface TestPostgresOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly superuserPassword: string;
}

/** The servers that a run of the tests stands on. */
export interface TestStores {
  // Once for the run: the first to start and the last to stop. The URL is the superuser's.
  startPostgres(options: TestPostgresOptions): Promise<TestStore>;
  // One for each stack, named after its database.
  startNats(stack: string, passwords: BusPasswords): Promise<TestStore>;
  startRedis(stack: string): Promise<TestStore>;
  // Whether what they stored lies in the run's folder once they have stopped.
  readonly keepData: boolean;
}

/** Processes of this machine, or containers where TEST_BACKEND asks for them. `run` is the run's folder. */
export async function testStores(run: string): Promise<TestStores> {
  // Each test file loads this: testcontainers takes a quarter of a second, which only those who use it shall pay.
  if (process.env['TEST_BACKEND'] === 'containers') return (await import('./containers/stores.ts')).containers(run);
  return (await import('./processes.ts')).processes(run);
}
