import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { endsWithUs } from './ends-with-us.ts';
import type { Stack } from './stack.ts';

const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts surveyctl in its own process against this stack. */
export function startSurveyctl({ services, natsUrl }: Stack, args: readonly string[]): ChildProcessWithoutNullStreams {
  const environment = { ...process.env, ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address, NATS_URL: natsUrl };
  return endsWithUs(spawn(process.execPath, [SURVEYCTL, ...args], { env: environment }));
}

/** Runs surveyctl to its end. */
export function surveyctlAt(stack: Stack) {
  return async (args: readonly string[], input = ''): Promise<Finished> => {
    const child = startSurveyctl(stack, args);
    // A command that reads no input may end before it is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { exitCode: child.exitCode, stdout, stderr };
  };
}
