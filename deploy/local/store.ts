import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { rotateLog } from './rotate-log.ts';
import { supervise, type Command, type Supervised } from './supervise.ts';

// Reports progress to the operator, one short line each.
export type Progress = (message: string) => void;

/** A running PostgreSQL, NATS or Redis. */
export interface Store {
  readonly url: string;
  // Resolves when the store ends, expectedly or not; never for a store that was not started here.
  readonly ended: Promise<void>;
  // Stops the store if it was started here.
  stop(): Promise<void>;
}

/** A store that was started here, on 127.0.0.1. */
export interface StartedStore extends Store {
  readonly port: number;
}

/** A store that was already running: it is never stopped here. */
export function givenStore(url: string): Store {
  return { url, ended: new Promise(() => undefined), stop: () => Promise.resolve() };
}

interface Launch {
  readonly name: string;
  readonly command: Command;
  readonly logFile: string;
  readonly url: string;
  readonly port: number;
  // Throws until the store can serve.
  readonly probe: () => Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 20_000;
const ROTATION_INTERVAL_MS = 10_000;

/**
 * Starts a store's program and waits until it serves.
 * @throws with its last log lines when it ends early or times out
 */
export async function launchStore(launch: Launch): Promise<StartedStore> {
  const log = await open(launch.logFile, 'a');
  await log.truncate();
  const server = supervise({ ...launch.command, output: log.fd });
  await log.close();
  try {
    await untilServing(launch, server);
  } catch (error) {
    await server.stop(STOP_GRACE_MS);
    throw error;
  }
  // The folder may be deleted while the store runs.
  const rotation = setInterval(() => void rotateLog(launch.logFile).catch(() => undefined), ROTATION_INTERVAL_MS).unref();
  const ended = server.ended.then(() => clearInterval(rotation));
  return { url: launch.url, port: launch.port, ended, stop: () => server.stop(STOP_GRACE_MS) };
}

async function untilServing({ name, logFile, probe }: Launch, server: Supervised): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (server.hasEnded()) throw new Error(`${name} ended while starting:\n${await lastLines(logFile)}`);
    try {
      return await probe();
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`${name} does not answer:\n${await lastLines(logFile)}`, { cause: error });
      await sleep(50);
    }
  }
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-20).join('\n');
}
