import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provision } from '@survey/bus/provision.ts';
import { forEachService, type StackConfig } from './service-environments.ts';
import { prepareDatabase, surveyDatabase } from './database.ts';
import { createDemo, demoStillThere, sampleSnapshot } from './demo.ts';
import { fetchMaskingModel } from './masking-model.ts';
import { PipError } from './pip.ts';
import { reserveAnyPorts, type Listener, type PortOf } from './port-block.ts';
import { bindDemoAccount, startConsoleProcess } from './console.ts';
import { printStatus } from './terminal.ts';
import { openServiceLog } from './service-log.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { startServices, stopServices, untilAllReady, untilServiceEnds } from './services.ts';
import { readStack, writeStack, type Demo, type NotRunning, type Stack } from './stack-file.ts';
import { startStores, type GivenAddresses, type Stores } from './stores.ts';

interface StartOptions {
  // Folder of all data: .local
  readonly folder: string;
  // Absent: ports that are reserved here.
  readonly portOf?: PortOf;
  readonly demo: boolean;
  readonly nodeOptions?: StackConfig['nodeOptions'];
  readonly given: GivenAddresses & { readonly SMTP_URL: string | undefined; readonly LOG_LEVEL: string | undefined };
  // Resources started so far, disposed in reverse order: services before their stores.
  readonly started: AsyncDisposableStack;
}

/** The running stack. `failed` throws when one of the processes ends unexpectedly. */
interface RunningStack {
  readonly stack: Stack;
  readonly failed: Promise<never>;
}

// The gateway needs an address when there is no Redis: no server listens there.
const NO_REDIS = 'redis://127.0.0.1:1';

/**
 * Starts everything, from the stores to the demo account.
 * @throws when one of the processes ends during the start
 */
export async function startLocalStack(options: StartOptions): Promise<RunningStack> {
  const { folder, portOf = await reserveAnyPorts(), started } = options;
  const secrets = await loadSecrets(join(folder, 'secrets.json'));
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const stores = await startStores({
    ...options,
    portOf,
    superuserPassword: secrets.superuserPassword,
    busPasswords: secrets.busPasswords,
    redisPassword: secrets.redisPassword,
    log: printStatus,
    onStarted: (name, store) => {
      started.defer(() => store.stop());
      void store.ended.then(() => fail(new Error(`${name} exited unexpectedly; its log is in ${folder}`)));
    },
  });
  const { config, notRunning } = await prepare({ ...options, portOf }, secrets, stores);
  const logFile = join(folder, 'services.log');
  const onLine = started.use(openServiceLog(logFile)).write;
  const services = startServices(config, onLine);
  started.defer(() => stopServices(services));
  untilServiceEnds(services).catch(fail);
  const serving = Promise.all([
    untilAllReady(services, config, printStatus),
    'url' in stores.redis ? startConsoleProcess({ ...config, secrets, started, portOf, onLine, fail }) : undefined,
  ]);
  const [, console] = await Promise.race([serving, failed]);
  const file = join(folder, 'stack.json');
  const stack: Stack = {
    gateway_url: `http://${config.listen.gateway.serve}`,
    metrics_url: `http://${config.listen.gateway.probe}/metrics`,
    database_url: config.databaseUrl,
    nats_url: config.natsUrl,
    ...('url' in stores.redis && { redis_url: stores.redis.url }),
    mail_dir: join(folder, 'mail'),
    account_admin_address: config.listen['account-admin'].serve,
    export_address: config.listen.export.serve,
    services: { ...config.listen, ...(console && { console: console.listen }) },
    log_file: logFile,
    ...(console && { console_url: console.url }),
    not_running: notRunning,
  };
  const demo = await Promise.race([options.demo ? bringDemo(folder, stack) : undefined, failed]);
  if (demo && console) await bindDemoAccount(stack.account_admin_address, demo.account_id, console.issuer);
  const complete = { ...stack, ...(demo && { demo }) };
  await writeStack(file, complete);
  return { stack: complete, failed };
}

async function prepare(
  { folder, portOf, given, nodeOptions }: StartOptions & { readonly portOf: PortOf },
  secrets: Secrets,
  { postgres, nats, redis }: Stores,
): Promise<{ config: StackConfig; notRunning: NotRunning[] }> {
  const databaseUrl = given.DATABASE_URL ?? (await surveyDatabase(postgres.url));
  const mailDir = join(folder, 'mail');
  const [missingModel] = await Promise.all([
    modelIfMissing(),
    prepareDatabase(databaseUrl, secrets, printStatus),
    provision({ natsUrl: nats.url }),
    mkdir(mailDir, { recursive: true }),
  ]);
  const address = (listener: Listener): string => `127.0.0.1:${portOf(listener)}`;
  const config = {
    databaseUrl,
    rolePasswords: secrets.rolePasswords,
    natsUrl: nats.url,
    // A bus that was already running has users of its own.
    ...(given.NATS_URL === undefined && { busPasswords: secrets.busPasswords }),
    redisUrl: 'url' in redis ? redis.url : NO_REDIS,
    mail: {
      CONSOLE_URL: `http://${address('console')}`,
      ...(given.SMTP_URL === undefined ? { MAIL_DIR: mailDir } : { SMTP_URL: given.SMTP_URL }),
    },
    ...(nodeOptions && { nodeOptions }),
    ...(missingModel.length > 0 && { masker: 'rules' as const }),
    logLevel: given.LOG_LEVEL ?? 'info',
    listen: forEachService((name) => ({ serve: address(name), probe: address(`${name} metrics`) })),
  };
  const withoutRedis = { name: 'Web console', reason: 'it keeps its sessions in Redis' };
  return { config, notRunning: [...('url' in redis ? [] : [redis, withoutRedis]), ...missingModel] };
}

async function modelIfMissing(): Promise<NotRunning[]> {
  try {
    await fetchMaskingModel(printStatus);
    return [];
  } catch (error) {
    if (!(error instanceof PipError)) throw error;
    return [{ name: 'Recogniser of names in texts (rules mask some)', reason: error.message }];
  }
}

/** Returns the demo account, which is created if there is none. */
async function bringDemo(folder: string, stack: Stack): Promise<Demo> {
  await writeFile(join(folder, 'snapshot.json'), sampleSnapshot());
  const { demo: earlier } = (await readStack(join(folder, 'stack.json'))) ?? {};
  if (earlier && (await demoStillThere(stack.gateway_url, earlier))) return earlier;
  return createDemo({
    gatewayUrl: stack.gateway_url,
    accountAdminAddress: stack.account_admin_address,
    natsUrl: stack.nats_url,
    databaseUrl: stack.database_url,
    log: printStatus,
  });
}
