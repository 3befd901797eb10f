import { environment as accountAdmin } from '@survey/account-admin/config.ts';
import { startAccountAdmin } from '@survey/account-admin/service.ts';
import { environment as exporting } from '@survey/export/config.ts';
import { startExport } from '@survey/export/service.ts';
import { serviceEnvironments, type ServiceName, type StackConfig } from '@survey/local/service-environments.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { operatorAt, type Operator } from '../support/accounts.ts';
import { reserveListenAddresses } from '../support/listen-addresses.ts';
import { FaultyProcess } from './faulty-process.ts';
import { startFaultyStores, type FaultyStores, type FaultyStoresOptions } from './faulty-store-set.ts';

export const TRANSACTION_IDLE_MS = 1_000;

// Shorter intervals than in production, and no load shedding on a busy test machine.
const QUICK = {
  MAX_EVENT_LOOP_DELAY_MS: '10000',
  IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: String(TRANSACTION_IDLE_MS / 1_000),
  SWEEP_INTERVAL_SECONDS: '0.5',
};

/** Two gateways, each with its own import-reconciler, and all their dependencies as processes. */
export interface FaultyStack extends Omit<FaultyStores, 'around'> {
  readonly gateways: readonly FaultyProcess[];
  readonly workers: readonly FaultyProcess[];
  readonly gatewayUrls: readonly string[];
  readonly operator: Operator;
}

interface FaultyStackOptions extends Pick<FaultyStoresOptions, 'given'> {
  // Folder of the stack, empty or missing; the caller deletes it.
  readonly folder: string;
  readonly preload?: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startFaultyStack({ folder, given, preload, settings = {} }: FaultyStackOptions): Promise<FaultyStack> {
  await using starting = new AsyncDisposableStack();
  const { around, ...stores } = starting.use(await startFaultyStores({ folder, given }));
  const [listen, other] = await twoListens();
  const environments = [listen, other].map((side) => serviceEnvironments({ ...around, listen: side }));
  const processes = (service: ServiceName): FaultyProcess[] =>
    environments.map((all) =>
      starting.use(new FaultyProcess({ service, environment: { ...all[service], ...QUICK, ...settings }, preload })),
    );
  const [workers, gateways] = [processes('import-reconciler'), processes('gateway')];
  const operator = await startHelpers(serviceEnvironments({ ...around, listen }), starting);
  await Promise.all([...workers, ...gateways].map((one) => one.start()));
  const running = starting.move();
  return {
    gateways,
    workers,
    gatewayUrls: [listen, other].map(({ gateway }) => `http://${gateway.serve}`),
    ...stores,
    operator,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Listens = StackConfig['listen'];

// The second gateway and import-reconciler have their own ports; all other processes are shared.
async function twoListens(): Promise<[Listens, Listens]> {
  const listen = await reserveListenAddresses();
  const { 'scoring-anonymity': spare, 'text-analysis': another } = listen;
  return [listen, { ...listen, gateway: spare, 'import-reconciler': another }];
}

// These two are not under test: they run in this process and are never killed.
async function startHelpers(
  environments: ReturnType<typeof serviceEnvironments>,
  starting: AsyncDisposableStack,
): Promise<Operator> {
  starting.use(await startExport(readEnvironment(exporting, environments.export)));
  const admin = starting.use(await startAccountAdmin(readEnvironment(accountAdmin, environments['account-admin'])));
  return starting.use(operatorAt(admin.address));
}

const TRIES = 20;

/** Terminates the connections of import-reconciler to this database. Other tests use others. */
export async function cutConnections(db: Pool): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await db.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'survey_imports' and datname = current_database()",
      );
      return;
    } catch (error) {
      // The connection of the test can time out on a busy machine.
      if (tries === TRIES) throw error;
    }
  }
}
