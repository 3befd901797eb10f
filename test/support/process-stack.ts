import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { provision } from '@survey/bus/provision.ts';
import { serviceEnvironments, SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { startService, waitUntilReady } from '@survey/local/service-process.ts';
import { inject } from 'vitest';
import { z } from 'zod';
import { operatorAt, type Operator } from './accounts.ts';
import { apiAt, type Api } from './api.ts';
import { reserveListenAddresses } from './listen-addresses.ts';
import { createDatabase } from './postgres-server.ts';
import { testStores } from './stores.ts';

const logLine = z.looseObject({ service: z.string(), level: z.string(), msg: z.string() });

/** Log lines of a service. */
export type LogLine = z.infer<typeof logLine>;

/** All six services as separate processes, as in production, with their logs. */
interface ProcessStack extends AsyncDisposable {
  readonly api: Api;
  // host:port of the gateway.
  readonly address: string;
  readonly operator: Operator;
  // Superuser URL.
  readonly databaseUrl: string;
  readonly lines: readonly LogLine[];
}

type Environment = Readonly<Record<string, string>>;

/** Starts the processes, each with its environment as `change` returns it. */
export async function startProcessStack(
  change: (environment: Environment, service: ServiceName) => Environment | Promise<Environment>,
): Promise<ProcessStack> {
  await using starting = new AsyncDisposableStack();
  const server = inject('postgres');
  const database = await createDatabase(server);
  starting.defer(() => database.drop());
  const stores = await testStores(server.folder);
  const busPasswords = makeBusPasswords();
  const nats = await stores.startNats(database.name, busPasswords);
  starting.defer(() => nats.stop());
  const redis = await stores.startRedis(database.name);
  starting.defer(() => redis.stop());
  await provision({ natsUrl: nats.url });
  const mailDir = join(server.folder, database.name, 'mail');
  await mkdir(mailDir, { recursive: true });
  const listen = await reserveListenAddresses();
  const lines: LogLine[] = [];
  const environments = serviceEnvironments({
    databaseUrl: database.url,
    rolePasswords: server.rolePasswords,
    natsUrl: nats.url,
    busPasswords,
    redisUrl: redis.url,
    mail: { MAIL_DIR: mailDir },
    masker: 'rules',
    logLevel: 'info',
    listen,
  });
  const begin = async (name: ServiceName): Promise<void> => {
    const environment = await change(environments[name], name);
    const process = startService({ name, environment, onLine: (line) => lines.push(logLine.parse(JSON.parse(line))) });
    starting.defer(() => process.stop());
    await waitUntilReady(name, listen[name].probe);
  };
  await Promise.all(SERVICES.map(begin));
  const operator = starting.use(operatorAt(listen['account-admin'].serve));
  const running = starting.move();
  return {
    api: apiAt(`http://${listen.gateway.serve}`),
    address: listen.gateway.serve,
    operator,
    databaseUrl: database.url,
    lines,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
