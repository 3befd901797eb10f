import { environment as accountAdmin } from '@survey/account-admin/config.ts';
import { startAccountAdmin } from '@survey/account-admin/service.ts';
import { environment as exporting } from '@survey/export/config.ts';
import { startExport } from '@survey/export/service.ts';
import { serviceEnvironments, forEachService, type ServiceName, type StackConfig } from '@survey/local/service-environments.ts';
import { allocateListenAddresses } from '@survey/local/listen-addresses.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { operatorAt, type Operator } from '../support/accounts.ts';
import { FaultyProcess } from './faulty-process.ts';
import { startFaultyStores, type FaultyStores } from './faulty-store-set.ts';
import { lastingPort } from './reserved-port.ts';

export const TRANSACTION_IDLE_MS = 1_000;

// What takes seconds in production; and a machine that is busy with tests sheds no load.
const QUICK = {
  MAX_EVENT_LOOP_DELAY_MS: '10000',
  IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: String(TRANSACTION_IDLE_MS / 1_000),
  SWEEP_INTERVAL_SECONDS: '0.5',
};

/** What takes part in an import, each part a process that can be killed: two gateways, and behind each an import-reconciler of its own. */
export interface FaultyStack extends Omit<FaultyStores, 'around'> {
  readonly gateways: readonly FaultyProcess[];
  readonly workers: readonly FaultyProcess[];
  readonly gatewayUrls: readonly string[];
  readonly operator: Operator;
}

interface FaultyStackOptions {
  // Empty or not there yet; left to whoever gave it.
  readonly folder: string;
  readonly preload?: string | undefined;
  readonly settings?: Readonly<Record<string, string>>;
}

export async function startFaultyStack({ folder, preload, settings = {} }: FaultyStackOptions): Promise<FaultyStack> {
  await using starting = new AsyncDisposableStack();
  const { around, ...stores } = starting.use(await startFaultyStores({ folder }));
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

// The second gateway and import-reconciler have ports of their own; all else is there once.
async function twoListens(): Promise<[Listens, Listens]> {
  const ports = forEachService(() => ({ serve: lastingPort(), probe: lastingPort() }));
  const listen = await allocateListenAddresses(ports);
  const { 'scoring-anonymity': spare, 'text-analysis': another } = listen;
  return [listen, { ...listen, gateway: spare, 'import-reconciler': another }];
}

// These two have no part in it: they run here, and are never killed.
async function startHelpers(
  environments: ReturnType<typeof serviceEnvironments>,
  starting: AsyncDisposableStack,
): Promise<Operator> {
  starting.use(await startExport(readEnvironment(exporting, environments.export)));
  const admin = starting.use(await startAccountAdmin(readEnvironment(accountAdmin, environments['account-admin'])));
  return starting.use(operatorAt(admin.address));
}

const TRIES = 20;

/** Ends every connection of import-reconciler, as a failing network or an impatient operator does. */
export async function cutConnections(db: Pool): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await db.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'survey_imports'");
      return;
    } catch (error) {
      // On a machine that is busy our own connection may not come in time.
      if (tries === TRIES) throw error;
    }
  }
}
