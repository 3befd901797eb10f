import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { surveyctl } from '../../clients/surveyctl/src/program.ts';
import type { Finished } from './surveyctl.ts';

// Runs commands of surveyctl, one at a time, in a thread. Loading surveyctl takes a third of a
// second of the processor, which a thread does once and a process for every command. A thread has
// an environment and an exit code of its own, so a command sees no difference.

export interface Command {
  readonly args: readonly string[];
  readonly input: string;
  readonly environment: NodeJS.ProcessEnv;
}

const END_MS = 10_000;

parentPort?.on('message', (command: Command) => {
  void run(command).then((finished) => parentPort?.postMessage(finished));
});

async function run({ args, input, environment }: Command): Promise<Finished> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const streams = { stdin, stdout, stderr };
  for (const [name, value] of Object.entries(streams)) Object.defineProperty(process, name, { value, configurable: true });
  process.env = environment;
  process.exitCode = undefined;
  const printed = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await surveyctl(args);
  const open = await stillOpen();
  if (open.length > 0) stderr.write(`surveyctl would not have ended: ${open.join(', ')} still open\n`);
  stdout.end();
  stderr.end();
  const [out, error] = await printed;
  return { exitCode, stdout: out, stderr: error };
}

// What would have kept a process running, if it is still there after a while.
async function stillOpen(): Promise<string[]> {
  const giveUp = Date.now() + END_MS;
  while (openResources().length > 0 && Date.now() < giveUp) await delay(5);
  return openResources();
}

// Without the port through which the thread receives commands.
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'MessagePort');
}
