import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { endsWithUs } from './ends-with-us.ts';
import type { Stack } from './stack.ts';
import type { Command } from './surveyctl-thread.ts';

const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const THREAD = new URL('surveyctl-thread.ts', import.meta.url);

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts surveyctl in its own process against this stack. */
export function startSurveyctl(stack: Stack, args: readonly string[]): ChildProcessWithoutNullStreams {
  return endsWithUs(spawn(process.execPath, [SURVEYCTL, ...args], { env: environmentOf(stack) }));
}

// Threads that wait for their next command.
const idle: Worker[] = [];

/** Runs surveyctl to its end in a thread: starting a process takes longer than most commands. */
export function surveyctlAt(stack: Stack) {
  return async (args: readonly string[], input = ''): Promise<Finished> => {
    const thread = idle.pop() ?? new Worker(THREAD, { execArgv: [] });
    thread.ref();
    thread.postMessage({ args, input, environment: environmentOf(stack) } satisfies Command);
    const [finished] = (await once(thread, 'message')) as [Finished];
    // A waiting thread does not keep this process running.
    thread.unref();
    idle.push(thread);
    return finished;
  };
}

function environmentOf({ services, natsUrl }: Stack): NodeJS.ProcessEnv {
  return { ...process.env, ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address, NATS_URL: natsUrl };
}
