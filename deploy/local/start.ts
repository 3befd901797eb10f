import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NATS } from './nats.ts';
import { withNpmOptions } from './npm-options.ts';
import { obtain } from './install.ts';
import { DEFAULT_PORT, LAST_BLOCK, LISTENERS, reserveBlock, type Listener } from './port-block.ts';
import { startLocalStack } from './start-stack.ts';
import type { GivenAddresses } from './stores.ts';
import { resetData } from './reset-data.ts';
import { takeLock } from './lock.ts';
import { makePrivate } from './private-folder.ts';
import { printStatus } from './terminal.ts';
import { stopRequest } from './stop-request.ts';
import { welcome } from './welcome.ts';

const FOLDER = fileURLToPath(new URL('../../.local', import.meta.url));
const LOCK = 'lock';

interface Options {
  readonly port: number;
  readonly demo: boolean;
  readonly reset: boolean;
}

await main();

// run.mjs answers --help and --version.
function readOptions(): Options {
  const { values } = parseArgs({
    args: withNpmOptions(process.argv.slice(2), process.env),
    options: {
      port: { type: 'string', default: String(DEFAULT_PORT) },
      demo: { type: 'boolean', default: true },
      reset: { type: 'boolean', default: false },
    },
    allowNegative: true,
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 1 || port > LAST_BLOCK)
    throw new Error(`--port must be a port from 1 to ${LAST_BLOCK}: ${LISTENERS.length} are used from there on`);
  return { ...values, port };
}

async function main(): Promise<void> {
  const started = new AsyncDisposableStack();
  const stop = stopRequest();
  let code = 0;
  try {
    await Promise.race([stop, runUntilFailure(readOptions(), started)]);
    printStatus('stopping');
  } catch (error) {
    printStatus(error instanceof Error ? error.message : String(error), 'error');
    code = 1;
  }
  await started.disposeAsync();
  process.exit(code);
}

async function runUntilFailure({ port, demo, reset }: Options, started: AsyncDisposableStack): Promise<never> {
  const begun = performance.now();
  await makePrivate(FOLDER);
  started.use(await takeLock(join(FOLDER, LOCK)));
  const given = addressesFromEnvironment();
  // Before anything is removed or started.
  const portOf = await reserveBlock(port, serversElsewhere(given));
  if (given.NATS_URL === undefined) await obtain(NATS, printStatus);
  if (reset) await resetData(FOLDER, LOCK);
  const { stack, failed } = await startLocalStack({ folder: FOLDER, portOf, demo, given, started });
  printStatus(`ready after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  process.stdout.write(welcome(stack, FOLDER));
  return failed;
}

function serversElsewhere({ DATABASE_URL, NATS_URL, REDIS_URL }: GivenAddresses): ReadonlySet<Listener> {
  const servers = [DATABASE_URL && 'PostgreSQL', NATS_URL && 'NATS', REDIS_URL && 'Redis'] as const;
  return new Set(servers.filter((server) => server !== undefined && server !== ''));
}

// An empty variable counts as unset.
function addressesFromEnvironment() {
  const { DATABASE_URL, NATS_URL, REDIS_URL, SMTP_URL, LOG_LEVEL } = process.env;
  return {
    DATABASE_URL: DATABASE_URL || undefined,
    NATS_URL: NATS_URL || undefined,
    REDIS_URL: REDIS_URL || undefined,
    SMTP_URL: SMTP_URL || undefined,
    LOG_LEVEL: LOG_LEVEL || undefined,
  };
}
