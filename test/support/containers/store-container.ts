import { GenericContainer, PullPolicy, type StartedTestContainer } from 'testcontainers';
import { engineHost, LOOPBACK } from './engine-host.ts';
import { labelsOf } from './of-run.ts';

const START_TIMEOUT_MS = 60_000;
const LOG_LINES_SHOWN = 20;

interface StoreImage {
  readonly image: string;
  // Listening port.
  readonly port: number;
  // Folder of the run that owns the container.
  readonly run: string;
}

/** A container of one server, unreachable from other machines when the engine runs on this one. */
export class StoreContainer extends GenericContainer {
  readonly #port: number;
  readonly #log: string[] = [];

  constructor({ image, port, run }: StoreImage) {
    super(image);
    this.#port = port;
    this.withExposedPorts(port);
    this.withLabels(labelsOf(run));
    this.withPullPolicy(PullPolicy.neverPull());
    // reaper.ts removes the containers: testcontainers' own reaper would need one more image.
    this.withAutoCleanup(false);
    this.withStartupTimeout(START_TIMEOUT_MS);
    this.withLogConsumer((log) => log.on('data', (line) => this.#log.splice(0, this.#log.push(String(line)) - LOG_LINES_SHOWN)));
  }

  // The server has no password: publish it on the loopback address only.
  protected override async beforeContainerCreated(): Promise<void> {
    if ((await engineHost()) === LOOPBACK) {
      this.hostConfig.PortBindings = { [`${this.#port}/tcp`]: [{ HostIp: LOOPBACK, HostPort: '0' }] };
    }
  }

  /**
   * Starts it and returns `host:port`. Throws with its last log lines when it does not serve in
   * time.
   */
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
