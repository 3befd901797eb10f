import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { NATS } from './nats.ts';
import { withNpmOptions } from './npm-options.ts';
import { obtain, PROGRAMS } from './install.ts';
import { startLocalStack, rejectTakenPort } from './start-stack.ts';
import { resetData } from './reset-data.ts';
import { takeLock } from './lock.ts';
import { makePrivate } from './private-folder.ts';
import { printStatus } from './terminal.ts';
import { stopRequest } from './stop-request.ts';
import { welcome } from './welcome.ts';

const FOLDER = fileURLToPath(new URL('../../.local', import.meta.url));
const LOCK = 'lock';

interface Options {
  readonly port?: number;
  readonly demo: boolean;
  readonly reset: boolean;
}

await new Command('npm start --')
  .description(
    'Runs the whole service on this machine: PostgreSQL, NATS, Redis, six services and a demo account. Ctrl-C stops it.',
  )
  .option('--port <number>', 'port of the public API (default: 8080 when it is free)', portNumber)
  .option('--no-demo', 'create no demo account')
  .option('--reset', 'delete the data of earlier starts first', false)
  .addHelpText(
    'after',
    '\nDATABASE_URL, NATS_URL and REDIS_URL name servers to use instead of starting some; SMTP_URL a mail server. RATE_LIMIT is how many requests a key may make in a minute.',
  )
  .action(main)
  .parseAsync(withNpmOptions(process.argv.slice(2), process.env), { from: 'user' });

function portNumber(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('It must be a port from 1 to 65535.');
  return port;
}

async function main(options: Options): Promise<void> {
  const started = new AsyncDisposableStack();
  const stop = stopRequest();
  let code = 0;
  try {
    await Promise.race([stop, runUntilFailure(options, started)]);
    printStatus('stopping');
  } catch (error) {
    printStatus(error instanceof Error ? error.message : String(error), 'error');
    code = 1;
  }
  await started.disposeAsync();
  process.exit(code);
}

async function runUntilFailure({ reset, ...options }: Options, started: AsyncDisposableStack): Promise<never> {
  const begun = performance.now();
  await makePrivate(FOLDER);
  started.use(await takeLock(join(FOLDER, LOCK)));
  // Before anything is removed or started.
  if (options.port !== undefined) await rejectTakenPort(options.port);
  const given = givenByEnvironment();
  if (given.NATS_URL === undefined) await obtain(NATS, join(FOLDER, PROGRAMS), printStatus);
  if (reset) await resetData(FOLDER, LOCK);
  const { stack, failed } = await startLocalStack({ ...options, folder: FOLDER, given, started });
  printStatus(`ready after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  process.stdout.write(welcome(stack, FOLDER));
  return failed;
}

// An empty variable counts as unset.
function givenByEnvironment() {
  const { DATABASE_URL, NATS_URL, REDIS_URL, SMTP_URL, LOG_LEVEL } = process.env;
  return {
    DATABASE_URL: DATABASE_URL || undefined,
    NATS_URL: NATS_URL || undefined,
    REDIS_URL: REDIS_URL || undefined,
    SMTP_URL: SMTP_URL || undefined,
    LOG_LEVEL: LOG_LEVEL || undefined,
  };
}
