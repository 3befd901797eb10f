import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '@survey/local/service-environments.ts';
import { expect, inject } from 'vitest';
import { z } from 'zod';
import type { Answer } from './api.ts';
import { endsWithUs } from './ends-with-us.ts';
import type { Stack } from './stack.ts';

const ROLES = {
  'import-reconciler': 'survey_imports',
  'scoring-anonymity': 'survey_scoring',
  'text-analysis': 'survey_text',
} as const;

/** A service in its own process, so that tests can kill it and read all its logs. */
interface WorkerProcess extends AsyncDisposable {
  readonly pid: number | undefined;
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
  const child = endsWithUs(spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { pid: child.pid, said: () => said, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
}

const accepted = z.object({ import_uuid: z.string() });

/** Posts a snapshot until the starting process accepts it: until then the gateway returns 503. */
export async function acceptedWhenStarted(post: () => Promise<Answer>): Promise<string> {
  let answer: Answer | undefined;
  const status = async (): Promise<number> => (answer = await post()).status;
  await expect.poll(status).not.toBe(503);
  expect(answer).toMatchObject({ status: 202 });
  return accepted.parse(answer?.body).import_uuid;
}
