import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provision } from '@survey/bus/provision.ts';
import type { StackConfig } from './service-environments.ts';
import { prepareDatabase, surveyDatabase } from './database.ts';
import { findTopics } from './demo-account.ts';
import { createDemo, demoStillThere, sampleSnapshot } from './demo.ts';
import { allocateListenAddresses, DEFAULT_PORTS } from './listen-addresses.ts';
import { fetchMaskingModel } from './masking-model.ts';
import { freePort } from './ports.ts';
import { bindDemoAccount, startConsoleProcess } from './console.ts';
import { printStatus } from './terminal.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { startServices, stopServices, untilAllReady, untilServiceEnds } from './services.ts';
import { readStack, writeStack, type Stack } from './stack-file.ts';
import { NO_REDIS, startStores, type GivenAddresses } from './stores.ts';
import type { Store } from './store.ts';

interface BringUpOptions {
  // Folder of all data: .local
  readonly folder: string;
  // Port of the public API; absent: the last start's, the default or any free one.
  readonly port?: number;
  readonly demo: boolean;
  readonly given: GivenAddresses & { readonly SMTP_URL: string | undefined; readonly LOG_LEVEL: string | undefined };
  // Resources started so far, disposed in reverse order: services before their stores.
  readonly started: AsyncDisposableStack;
}

/** The running stack. `failed` throws when one of the processes ends unexpectedly. */
interface RunningStack {
  readonly stack: Stack;
  readonly failed: Promise<never>;
}

/**
 * Starts everything, from the stores to the demo account.
 * @throws when one of the processes ends meanwhile
 */
export async function startLocalStack(options: BringUpOptions): Promise<RunningStack> {
  const { folder, started } = options;
  const previous = await readStack(join(folder, 'stack.json'));
  const secrets = await loadSecrets(join(folder, 'secrets.json'));
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  failed.catch(() => undefined);
  const stores = await startStores({
    ...options,
    superuserPassword: secrets.superuserPassword,
    busPasswords: secrets.busPasswords,
    redisPassword: secrets.redisPassword,
    previous,
    log: printStatus,
    onStarted: (name, store) => {
      started.defer(() => store.stop());
      void store.ended.then(() => fail(new Error(`${name} exited unexpectedly; its log is in ${folder}`)));
    },
  });
  const surroundings = await prepare(options, previous, secrets, stores);
  const services = startServices(surroundings);
  started.defer(() => stopServices(services));
  untilServiceEnds(services).catch(fail);
  const serving = Promise.all([
    untilAllReady(services, surroundings, printStatus).then(() => writeStackFile(options, previous, surroundings)),
    stores.redis.url === NO_REDIS
      ? undefined
      : startConsoleProcess({ ...surroundings, secrets, started, previousUrl: previous?.console_url, fail }),
  ]);
  const [stack, console] = await Promise.race([serving, failed]);
  if (console === undefined) return { stack, failed };
  if (stack.demo) await bindDemoAccount(stack.account_admin_address, stack.demo.account_id, console.issuer);
  const withConsole = { ...stack, console_url: console.url };
  await writeStack(join(folder, 'stack.json'), withConsole);
  return { stack: withConsole, failed };
}

async function prepare(
  { folder, port, given }: BringUpOptions,
  previous: Stack | undefined,
  secrets: Secrets,
  stores: { postgres: Store; nats: Store; redis: Store },
): Promise<StackConfig> {
  const databaseUrl = given.DATABASE_URL ?? (await surveyDatabase(stores.postgres.url));
  await Promise.all([
    prepareDatabase(databaseUrl, secrets, printStatus),
    provision({ natsUrl: stores.nats.url }),
    fetchMaskingModel(printStatus),
  ]);
  const mailDir = join(folder, 'mail');
  await mkdir(mailDir, { recursive: true });
  const gateway = await gatewayPort(port, previous);
  return {
    databaseUrl,
    rolePasswords: secrets.rolePasswords,
    natsUrl: stores.nats.url,
    // A bus that was already running has users of its own.
    ...(given.NATS_URL === undefined && { busPasswords: secrets.busPasswords }),
    redisUrl: stores.redis.url,
    mail: given.SMTP_URL === undefined ? { MAIL_DIR: mailDir } : { SMTP_URL: given.SMTP_URL },
    logLevel: given.LOG_LEVEL ?? 'info',
    listen: await allocateListenAddresses({ ...DEFAULT_PORTS, gateway: { ...DEFAULT_PORTS.gateway, serve: gateway } }),
  };
}

// A requested port must be free; any other is only a preference.
async function gatewayPort(asked: number | undefined, previous: Stack | undefined): Promise<number> {
  if (asked === undefined) return Number(URL.parse(previous?.gateway_url ?? '')?.port) || DEFAULT_PORTS.gateway.serve;
  await rejectTakenPort(asked);
  return asked;
}

/** @throws when the port is already in use */
export async function rejectTakenPort(port: number): Promise<void> {
  if ((await freePort(port)) !== port)
    throw new Error(`port ${port} is in use: stop the process that listens there, or omit --port`);
}

/** Writes the addresses that tools need, and creates the demo account if there is none. */
async function writeStackFile(options: BringUpOptions, previous: Stack | undefined, around: StackConfig): Promise<Stack> {
  const file = join(options.folder, 'stack.json');
  const stack: Stack = {
    gateway_url: `http://${around.listen.gateway.serve}`,
    metrics_url: `http://${around.listen.gateway.probe}/metrics`,
    database_url: around.databaseUrl,
    nats_url: around.natsUrl,
    redis_url: around.redisUrl,
    mail_dir: join(options.folder, 'mail'),
    account_admin_address: around.listen['account-admin'].serve,
    export_address: around.listen.export.serve,
    ...(previous?.demo && { demo: previous.demo }),
  };
  await writeStack(file, stack);
  if (options.demo) await writeFile(join(options.folder, 'snapshot.json'), sampleSnapshot());
  if (!options.demo || (stack.demo && (await demoStillThere(stack.gateway_url, stack.demo)))) return stack;
  const demo = await createDemo({
    gatewayUrl: stack.gateway_url,
    accountAdminAddress: stack.account_admin_address,
    natsUrl: stack.nats_url,
    log: printStatus,
  });
  await findTopics(stack.account_admin_address, demo);
  await writeStack(file, { ...stack, demo });
  return { ...stack, demo };
}
