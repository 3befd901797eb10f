import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { processSettings, readEnvironment, type SettingsOf } from './environment.ts';
import { createLog, type Log } from './log.ts';
import { repeat } from './repeat.ts';
import type { Service } from './service.ts';
import { enableFailpoints } from './failpoint.ts';
import { loadSecretFiles } from './secret-files.ts';

const LEFTOVERS_MAY_TAKE_MS = 1_000;
const SECRETS_REFRESH_MS = 10_000;

/**
 * Runs a service as a process: reads the environment, starts, and drains and stops on SIGTERM or
 * SIGINT.
 */
export async function run<S extends z.ZodRawShape>(
  name: string,
  shape: S,
  start: (settings: SettingsOf<S>) => Promise<Service>,
): Promise<void> {
  // Until the settings are read.
  let log = createLog(name, 'info');
  try {
    loadSecretFiles();
    const settings = readEnvironment({ ...shape, ...processSettings }, process.env);
    const { LOG_LEVEL, DRAIN_DELAY_MS, SHUTDOWN_TIMEOUT_MS, ...others } = readEnvironment(processSettings, process.env);
    log = createLog(name, LOG_LEVEL);
    enableFailpoints(others);
    watchSecretFiles(log);
    // Installed first: a start may wait for other services, and process 1 of a container ignores
    // signals without a handler.
    const stop = stopReason(log);
    // The shape's own settings are among them.
    const starting = start(settings as SettingsOf<S>);
    const service = await Promise.race([starting, stop.then(() => undefined)]);
    const reason = await stop;
    log.info({ reason }, service === undefined ? 'stopped before ready' : 'stopping');
    if (service === undefined) return;
    const giveUp = (): void => {
      log.error('SHUTDOWN_TIMEOUT_MS exceeded');
      process.exit(1);
    };
    setTimeout(giveUp, DRAIN_DELAY_MS + SHUTDOWN_TIMEOUT_MS).unref();
    service.drain();
    await sleep(DRAIN_DELAY_MS);
    await service[Symbol.asyncDispose]();
    log.info('stopped');
  } catch (error) {
    log.error({ err: error }, error instanceof Error ? error.message : 'start failed');
    process.exitCode = 1;
  } finally {
    // Exits even if a library has left a handle open. nats.js, for example, keeps a socket to a
    // server that never sent its greeting.
    setTimeout(() => process.exit(), LEFTOVERS_MAY_TAKE_MS).unref();
  }
}

// New connections to PostgreSQL use the new PGPASSWORD; what else is read only at startup needs a
// restart.
function watchSecretFiles(log: Log): void {
  repeat(
    SECRETS_REFRESH_MS,
    () => loadSecretFiles(),
    (error) => log.warn({ err: error }, 'secret files unreadable'),
  );
}

/**
 * Resolves with the reason to stop: the first signal or unhandled rejection. Later ones do not
 * shorten the stop, which SHUTDOWN_TIMEOUT_MS limits.
 */
function stopReason(log: Log): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
    process.on('unhandledRejection', (error) => {
      log.error({ err: error }, 'unhandled rejection');
      process.exitCode = 1;
      resolve('unhandled rejection');
    });
  });
}
