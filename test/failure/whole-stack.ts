import { join } from 'node:path';
import { createDemo } from '@survey/local/demo.ts';
import {
  serviceEnvironments,
  forEachService,
  SERVICES,
  type Listen,
  type ServiceName,
} from '@survey/local/service-environments.ts';
import type { Demo } from '@survey/local/stack-file.ts';
import { operatorAt, type Operator } from '../support/accounts.ts';
import { reserveListenAddresses } from '../support/listen-addresses.ts';
import { startBalancer } from './balancer.ts';
import { FaultyProcess } from './faulty-process.ts';
import { startFaultyStores, type FaultyStores, type FaultyStoresOptions } from './faulty-store-set.ts';

// No rate limit, and no load shedding on a busy test machine.
const UNLIMITED = { RATE_LIMIT: '1000000', MAX_EVENT_LOOP_DELAY_MS: '10000' };

/** All six services and their stores as processes that can be killed, with production settings. */
export interface WholeStack extends FaultyStores {
  // First instance of each service.
  readonly services: Readonly<Record<ServiceName, FaultyProcess>>;
  readonly instances: Readonly<Record<ServiceName, readonly FaultyProcess[]>>;
  readonly gatewayUrl: string;
  // Of each gateway, without a load balancer.
  readonly gatewayUrls: readonly string[];
  readonly accountAdminAddress: string;
  readonly operator: Operator;
  /** Account with 3,000 employees and a year of surveys, with data for each endpoint. */
  demo(): Promise<Demo>;
}

interface WholeStackOptions extends FaultyStoresOptions {
  // Additional environment of all services.
  readonly settings?: Readonly<Record<string, string>>;
  // NODE_OPTIONS of a service; default: none.
  readonly nodeOptions?: (service: ServiceName) => string;
  // Folder for the logs, `<service>.log`; default: the output of this process.
  readonly logFolder?: string;
  // Database address for the services, when a proxy is in between.
  readonly databasePort?: (port: number) => Promise<number>;
  // Instances per service, behind a load balancer if more than one; default: 1.
  readonly copies?: number;
  // Number of these that run from the beginning; default: all.
  readonly running?: number;
  // Additional environment of an instance.
  readonly environmentOf?: (instance: InstancePlace) => Readonly<Record<string, string>>;
  // Checkout whose services run; default: this one.
  readonly root?: string;
}

interface InstancePlace {
  readonly service: ServiceName;
  // Number of the instance, from 0.
  readonly copy: number;
  // Addresses of all instances, by their number.
  readonly addresses: readonly Readonly<Record<ServiceName, Listen>>[];
  readonly around: FaultyStores['around'];
}

export async function startWholeStack(options: WholeStackOptions): Promise<WholeStack> {
  const {
    settings = {},
    nodeOptions,
    logFolder,
    databasePort,
    copies = 1,
    running: started = copies,
    environmentOf,
    root,
  } = options;
  await using starting = new AsyncDisposableStack();
  const { around, ...stores } = starting.use(await startFaultyStores(options));
  const database = new URL(around.databaseUrl);
  database.port = String((await databasePort?.(Number(database.port))) ?? database.port);
  const listen = await reserveListenAddresses();
  const own = copies === 1 ? [listen] : await Promise.all(Array.from({ length: copies }, reserveListenAddresses));
  const instances = forEachService((service) =>
    own.map((at, copy) => {
      // Addresses of the other services, and the listen address of this one.
      const config = { ...around, databaseUrl: database.href, listen: { ...listen, [service]: at[service] } };
      const environment = {
        ...serviceEnvironments(config)[service],
        ...UNLIMITED,
        ...settings,
        ...environmentOf?.({ service, copy, addresses: own, around }),
        ...(nodeOptions && { NODE_OPTIONS: nodeOptions(service) }),
      };
      const logFile = logFolder === undefined ? undefined : join(logFolder, `${service}.log`);
      return starting.use(new FaultyProcess({ service, environment, logFile, root }));
    }),
  );
  await Promise.all(SERVICES.flatMap((service) => instances[service].slice(0, started).map((one) => one.start())));
  if (copies > 1)
    for (const service of SERVICES)
      starting.use(
        await startBalancer(
          listen[service].serve,
          own.map((at) => at[service]),
        ),
      );
  const gatewayUrl = `http://${listen.gateway.serve}`;
  const accountAdminAddress = listen['account-admin'].serve;
  const operator = starting.use(operatorAt(accountAdminAddress));
  const running = starting.move();
  return {
    ...stores,
    around,
    services: forEachService((service) => firstOf(instances[service])),
    instances,
    gatewayUrl,
    gatewayUrls: own.map(({ gateway }) => `http://${gateway.serve}`),
    accountAdminAddress,
    operator,
    demo: () => createDemo({ gatewayUrl, accountAdminAddress, natsUrl: stores.nats.url, log: () => {} }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function firstOf([first]: readonly FaultyProcess[]): FaultyProcess {
  if (first === undefined) throw new Error('cannot find an instance of the service');
  return first;
}
