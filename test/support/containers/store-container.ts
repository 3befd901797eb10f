import { GenericContainer, PullPolicy, type StartedTestContainer } from 'testcontainers';
import { engineHost, LOOPBACK } from './engine-host.ts';
import { labelsOf } from './of-run.ts';

const START_TIMEOUT_MS = 60_000;
const LOG_LINES_SHOWN = 20;

interface StoreImage {
  readonly image: string;
  // What it listens on.
  readonly port: number;
  // The folder of the run that it belongs to, and ends with.
  readonly run: string;
}

/** The container of one server, which no other machine can reach when the engine runs on this one. */
export class StoreContainer extends GenericContainer {
  readonly #port: number;
  readonly #log: string[] = [];

  constructor({ image, port, run }: StoreImage) {
    super(image);
    this.#port = port;
    this.withExposedPorts(port);
    this.withLabels(labelsOf(run));
    this.withPullPolicy(PullPolicy.neverPull());
    // What removes them is reaper.ts: testcontainers' own is one more image, which has to be there.
    this.withAutoCleanup(false);
    this.withStartupTimeout(START_TIMEOUT_MS);
    this.withLogConsumer((log) => log.on('data', (line) => this.#log.splice(0, this.#log.push(String(line)) - LOG_LINES_SHOWN)));
  }

  // Published on all of the machine's addresses, a server without a password would be everybody's.
  protected override async beforeContainerCreated(): Promise<void> {
    if ((await engineHost()) === LOOPBACK) {
      this.hostConfig.PortBindings = { [`${this.#port}/tcp`]: [{ HostIp: LOOPBACK, HostPort: '0' }] };
    }
  }

  /** Starts it and returns `host:port`. Throws with its last log lines when it does not serve in time. */
  async serve(): Promise<{ address: string; stop: () => Promise<void> }> {
    const started = await this.startOrShowLog();
    return {
      address: `${await engineHost()}:${started.getMappedPort(this.#port)}`,
      stop: async () => void (await started.stop()),
    };
  }

  private async startOrShowLog(): Promise<StartedTestContainer> {
    try {
      return await this.start();
    } catch (error) {
      throw new Error(`the container of ${this.imageName.string} does not serve:\n${this.#log.join('')}`, { cause: error });
    }
  }
}
