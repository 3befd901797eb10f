import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS, type ServiceName } from '@survey/local/service-environments.ts';
import { untilReady } from '@survey/local/service-process.ts';
import { z } from 'zod';

const reached = z.object({ failpoint: z.string(), number: z.int() });

interface FaultyProcessOptions {
  readonly service: ServiceName;
  readonly environment: Readonly<Record<string, string>>;
  // Loaded before the service, to take something away from it.
  readonly preload?: string | undefined;
  // A file for what it writes; absent: where ours goes.
  readonly logFile?: string | undefined;
}

/** A service as a process that can be killed and paused, also exactly at a named step (packages/process/src/failpoint.ts). */
export class FaultyProcess implements AsyncDisposable {
  readonly service: ServiceName;
  // Every step that it has told of, in order.
  readonly trace: string[] = [];
  // What it was not killed for.
  readonly deaths: string[] = [];
  readonly #options: FaultyProcessOptions;
  #child: ChildProcess | undefined;
  #isPaused = false;
  #isStopping = false;
  #wanted: { step: string; count: number; held: () => void } | undefined;
  // Those that wait for leave.
  #held: number[] = [];
  readonly #killAtExit = (): void => void this.#child?.kill('SIGKILL');

  constructor(options: FaultyProcessOptions) {
    this.#options = options;
    this.service = options.service;
    // Also when the run is interrupted: what is paused could not see that its parent is gone.
    process.setMaxListeners(0);
    process.once('exit', this.#killAtExit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    process.off('exit', this.#killAtExit);
  }

  /** Of its side port. */
  get probeAddress(): string {
    return this.#options.environment['PROBE_LISTEN'] ?? '';
  }

  /** Whether it runs, neither killed nor paused. */
  get isUp(): boolean {
    return this.#child !== undefined && !this.#isPaused;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { service, environment, preload, logFile } = this.#options;
    const main = fileURLToPath(new URL(`../../services/${service}/src/main.ts`, import.meta.url));
    const flags = [...NODE_FLAGS[service], ...(preload === undefined ? [] : ['--import', preload])];
    const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
    const child = spawn(process.execPath, [...flags, main], {
      env: { PATH: process.env['PATH'], ...environment, FAILPOINTS: 'on' },
      stdio: ['ignore', output, output, 'ipc'],
    });
    if (typeof output === 'number') closeSync(output);
    child.on('message', (message) => this.#onStep(reached.parse(message)));
    child.once('exit', (code, signal) => this.#onExit(child, `${code ?? signal}`));
    this.#child = child;
    await untilReady(service, this.probeAddress);
  }

  /** Resolves when so much work of the process stands at this step, where it waits until it is released. */
  async untilHeldAt(step: string, given: AbortSignal, count = 1): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      const wanted = { step, count, held: resolve };
      this.#wanted = wanted;
      given.addEventListener('abort', () => {
        if (this.#wanted === wanted) this.#wanted = undefined;
        reject(new Error(`nobody came to ${step}`));
      });
    });
    return this;
  }

  release(): void {
    for (const number of this.#held.splice(0)) this.#leave(number);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.#held = [];
    this.#isPaused = false;
  }

  /** Lets it drain. Throws when it does not end well. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isStopping = true;
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    this.#isStopping = false;
    this.#child = undefined;
    if (code !== 0) throw new Error(`${this.service} ended with ${String(code)}`);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  pause(): void {
    this.#isPaused = this.#child?.kill('SIGSTOP') ?? false;
  }

  resume(): void {
    if (this.#isPaused) this.#child?.kill('SIGCONT');
    this.#isPaused = false;
  }

  #onExit(child: ChildProcess, how: string): void {
    if (this.#child === child && !this.#isStopping) this.deaths.push(`${this.service} ended by itself: ${how}`);
  }

  #onStep({ failpoint: step, number }: z.output<typeof reached>): void {
    this.trace.push(step);
    if (this.#wanted?.step !== step) return this.#leave(number);
    this.#held.push(number);
    const { count, held } = this.#wanted;
    if (this.#held.length < count) return;
    this.#wanted = undefined;
    held();
  }

  #leave(number: number): void {
    if (this.#child?.connected === true) this.#child.send({ resume: number }, () => undefined);
  }
}
