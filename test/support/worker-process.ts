import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '@survey/local/service-environments.ts';
import { inject } from 'vitest';
import type { Stack } from './stack.ts';

const ROLES = { 'text-analysis': 'survey_text', 'scoring-anonymity': 'survey_scoring' } as const;

/** A service in its own process, so that tests can kill it and read all its logs. */
interface WorkerProcess extends AsyncDisposable {
  // All log lines so far, at the lowest level.
  readonly said: () => string;
  // Kills the process with SIGKILL, as a crash would.
  kill(): Promise<void>;
}

/**
 * Starts one at the address that the gateway calls, unless `more` has another. Stop the in-process
 * one first.
 */
export function startWorkerProcess(
  name: keyof typeof ROLES,
  { services, databaseUrl, natsUrl }: Stack,
  more: Readonly<Record<string, string>> = {},
): WorkerProcess {
  const main = fileURLToPath(new URL(`../../services/${name}/src/main.ts`, import.meta.url));
  const role = ROLES[name];
  const environment = {
    ...process.env,
    DATABASE_URL: roleUrl(databaseUrl, role, inject('postgres').rolePasswords[role]),
    NATS_URL: natsUrl,
    GRPC_LISTEN: services[name].address,
    PROBE_LISTEN: services[name].probeAddress,
    SCORING_ANONYMITY_ADDRESS: services['scoring-anonymity'].address,
    // As in the other services of the stack: no masking model.
    MASKER: 'rules',
    LOG_LEVEL: 'debug',
    ...more,
  };
  const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const kill = (): void => void child.kill('SIGKILL');
  // Covers interrupted runs.
  process.once('exit', kill);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    process.off('exit', kill);
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { said: () => said, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}
