import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { roleUrl } from '@survey/local/service-environments.ts';
import { expect, inject } from 'vitest';
import { z } from 'zod';
import type { Answer } from './api.ts';
import type { Stack } from './stack.ts';

const MAIN = fileURLToPath(new URL('../../services/import-reconciler/src/main.ts', import.meta.url));

/** import-reconciler in its own process, so that tests can kill it. */
interface ReconcilerProcess extends AsyncDisposable {
  readonly pid: number | undefined;
  // Kills the process with SIGKILL, as a crash would.
  kill(): Promise<void>;
}

/** Starts one at the address that the gateway calls. Stop the in-process one first. */
export function startReconciler(
  { services, databaseUrl, natsUrl }: Stack,
  more: Readonly<Record<string, string>> = {},
): ReconcilerProcess {
  const environment = {
    ...process.env,
    DATABASE_URL: roleUrl(databaseUrl, 'survey_imports', inject('postgres').rolePasswords.survey_imports),
    NATS_URL: natsUrl,
    GRPC_LISTEN: services['import-reconciler'].address,
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    ...more,
  };
  const child = spawn(process.execPath, [MAIN], { env: environment, stdio: 'inherit' });
  const kill = (): void => void child.kill('SIGKILL');
  // Covers interrupted runs.
  process.once('exit', kill);
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    process.off('exit', kill);
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { pid: child.pid, kill: () => end('SIGKILL'), [Symbol.asyncDispose]: () => end('SIGTERM') };
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
