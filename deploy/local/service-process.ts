import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS, type ServiceName } from './service-environments.ts';
import { supervise } from './supervise.ts';

const LINES_KEPT = 30;
const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 20_000;
// Variables passed on from our environment; all others are the service's own.
const PASSED_ON = /^(PATH|HOME|LANG|TZ|NODE_OPTIONS|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|RATE_LIMIT|MASKER|OTEL_\w+)$/;

/** A service of the API, or the web console. */
type ProcessName = ServiceName | 'console';

/** A service in a process of its own. */
export interface ServiceProcess<N extends ProcessName = ServiceName> {
  readonly name: N;
  // Resolves with the exit code when the process ends, expectedly or not.
  readonly ended: Promise<number>;
  // Returns the last lines of output.
  lastLines(): readonly string[];
  // Stops the process after draining; kills it if it does not end.
  stop(): Promise<void>;
}

interface ServiceStart<N extends ProcessName = ServiceName> {
  readonly name: N;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
}

/** Starts services/<name>/src/main.ts. Use `waitUntilReady` to wait until it serves. */
export function startService<N extends ProcessName>({ name, environment, onLine }: ServiceStart<N>): ServiceProcess<N> {
  const main = fileURLToPath(new URL(`../../services/${name}/src/main.ts`, import.meta.url));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => PASSED_ON.test(key)));
  const flags: Partial<Record<ProcessName, readonly string[]>> = NODE_FLAGS;
  const args = [...(flags[name] ?? []), main];
  const program = supervise({ command: process.execPath, args, env: { ...inherited, ...environment }, output: 'pipe' });
  const lastLines: string[] = [];
  for (const input of [program.stdout, program.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > LINES_KEPT) lastLines.shift();
      onLine(line);
    });
  }
  return { name, ended: program.ended, lastLines: () => lastLines, stop: () => program.stop(STOP_GRACE_MS) };
}

/**
 * Waits until the probe port reports ready.
 * @throws on timeout
 */
export async function waitUntilReady(name: ProcessName, probeAddress: string, limitMs = READY_TIMEOUT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isReady(probeAddress))) {
    if (performance.now() > deadline) throw new Error(`${name} is not ready after ${limitMs / 1_000} s`);
    await sleep(50);
  }
}

async function isReady(probeAddress: string): Promise<boolean> {
  try {
    const response = await fetch(`http://${probeAddress}/readyz`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
