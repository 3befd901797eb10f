import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS, type ServiceName } from '@survey/local/service-environments.ts';
import { waitUntilReady } from '@survey/local/service-process.ts';
import { z } from 'zod';
import { endsWithUs } from '../support/ends-with-us.ts';

const reached = z.object({ failpoint: z.string(), number: z.int() });

// Twelve processes that start while others fail take minutes on a busy machine.
const READY_TIMEOUT_MS = 300_000;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface FaultyProcessOptions {
  readonly service: ServiceName;
  readonly environment: Readonly<Record<string, string>>;
  // Modules loaded before the service, for ablations.
  readonly preload?: string | undefined;
  // Checkout to run; default: this one.
  readonly root?: string | undefined;
  // Log file; default: the output of this process.
  readonly logFile?: string | undefined;
}

/**
 * A service process that can be killed and paused, also at a failpoint
 * (packages/process/src/failpoint.ts).
 */
export class FaultyProcess implements AsyncDisposable {
  readonly service: ServiceName;
  // All failpoints that it reported, in order.
  readonly trace: string[] = [];
  // Unexpected exit.
  readonly deaths: string[] = [];
  // Called at every failpoint; returns whether the process stops there until it calls `resume`.
  stopper: ((failpoint: string, resume: () => void) => boolean) | undefined;
  #options: FaultyProcessOptions;
  #child: ChildProcess | undefined;
  #isPaused = false;
  #isStopping = false;
  #wanted: { failpoint: string; count: number; held: () => void } | undefined;
  // Failpoints at which it is stopped.
  #held: number[] = [];

  constructor(options: FaultyProcessOptions) {
    this.#options = options;
    this.service = options.service;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  /** Address of its probe port. */
  get probeAddress(): string {
    return this.#options.environment['PROBE_LISTEN'] ?? '';
  }

  /** Whether the process is neither killed nor paused. */
  get isUp(): boolean {
    return this.#child !== undefined && !this.#isPaused;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Sets what runs from the next start on. */
  change(options: Pick<FaultyProcessOptions, 'preload' | 'root'>): void {
    this.#options = { ...this.#options, ...options };
  }

  async start(): Promise<void> {
    const { service, environment, preload, logFile, root = ROOT } = this.#options;
    const main = join(root, 'services', service, 'src', 'main.ts');
    const flags = [...NODE_FLAGS[service], ...(preload === undefined ? [] : ['--import', preload])];
    const output = logFile === undefined ? 'inherit' : openSync(logFile, 'a');
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    // The masking model is not everywhere, and no fault needs it.
    const env = { PATH, NODE_COMPILE_CACHE, MASKER: 'rules', ...environment, FAILPOINTS: 'on' };
    const child = endsWithUs(spawn(process.execPath, [...flags, main], { env, stdio: ['ignore', output, output, 'ipc'] }));
    if (typeof output === 'number') closeSync(output);
    child.on('message', (message) => this.#onFailpoint(reached.parse(message)));
    child.once('exit', (code, signal) => this.#onExit(child, `${code ?? signal}`));
    this.#child = child;
    await waitUntilReady(service, this.probeAddress, READY_TIMEOUT_MS);
  }

  /**
   * Resolves when this number of executions is stopped at the failpoint, until they are released.
   */
  async waitUntilStoppedAt(failpoint: string, given: AbortSignal, count = 1): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      const wanted = { failpoint, count, held: resolve };
      this.#wanted = wanted;
      given.addEventListener('abort', () => {
        if (this.#wanted === wanted) this.#wanted = undefined;
        reject(new Error(`cannot stop at ${failpoint}: not reached`));
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

  /** Stops the process gracefully. @throws when it does not exit with 0. */
  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isStopping = true;
    // One that has ended by itself takes no signal.
    const code = child.kill('SIGTERM') ? await once(child, 'exit').then(([exit]: number[]) => exit) : child.exitCode;
    this.#isStopping = false;
    this.#child = undefined;
    if (code !== 0) throw new Error(`cannot stop ${this.service}: exited with ${String(code)}`);
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

  #onFailpoint({ failpoint, number }: z.output<typeof reached>): void {
    this.trace.push(failpoint);
    if (this.stopper?.(failpoint, () => this.#leave(number)) === true) return;
    if (this.#wanted?.failpoint !== failpoint) return this.#leave(number);
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
