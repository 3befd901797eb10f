import type { Pool } from '@survey/postgres/database.ts';
import { Counter, Gauge, Histogram } from '@survey/process/metrics.ts';
import type { ServiceContext } from '@survey/process/service.ts';

// Where an import spends its time. `upload` is the work on the body while it arrives, without the
// time for which the client keeps us waiting. `wait` lasts from the acceptance until an attempt has
// the account's lock, `plan` until the import is decided, `apply` until it is committed.
const PHASES = ['upload', 'wait', 'plan', 'apply'] as const;
type Phase = (typeof PHASES)[number];

// Usual seconds of any import, and of each 1,000 records, on a slow machine. The alert ImportSlow
// fires at ten times as much.
const USUAL: Readonly<Record<Phase, readonly [seconds: number, per1000: number]>> = {
  upload: [5, 0.05],
  wait: [60, 0],
  plan: [5, 0.1],
  apply: [5, 0.1],
};
// Estimate for a body whose records are not counted yet.
const BYTES_PER_RECORD = 50;

const slownessOf = (phase: Phase, records: number, seconds: number): number =>
  seconds / (USUAL[phase][0] + (USUAL[phase][1] * records) / 1_000);

/** Measures the phases of one import in this process. */
export class PhaseClock {
  #records: number;
  readonly #ms = new Map<Phase | 'client', number>();
  #phase: Phase;
  #begunAt: number;
  // Since when it waits for the client, which is not counted.
  #askedAt: number | undefined;

  constructor(phase: Phase, records = 0, elapsedMs = 0) {
    this.#phase = phase;
    this.#records = records;
    this.#begunAt = performance.now() - elapsedMs;
  }

  get records(): number {
    return this.#records;
  }

  /** Milliseconds by phase, up to now. */
  get ms(): Readonly<Partial<Record<Phase | 'client', number>>> {
    return Object.fromEntries([...this.#ms, [this.#phase, this.#elapsedMs]]);
  }

  get slowness(): { readonly phase: Phase; readonly ratio: number } {
    return { phase: this.#phase, ratio: slownessOf(this.#phase, this.#records, this.#elapsedMs / 1_000) };
  }

  get #elapsedMs(): number {
    return Math.max(0, Math.round((this.#askedAt ?? performance.now()) - this.#begunAt));
  }

  enter(phase: Phase): void {
    this.#ms.set(this.#phase, this.#elapsedMs);
    this.#phase = phase;
    this.#begunAt = performance.now();
  }

  /** Passes on what the client sends. */
  async *ofClient(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    this.#askedAt = performance.now();
    for await (const chunk of body) {
      this.#resume();
      this.#records += chunk.length / BYTES_PER_RECORD;
      yield chunk;
      this.#askedAt = performance.now();
    }
    this.#resume();
  }

  #resume(): void {
    const waitedMs = performance.now() - (this.#askedAt ?? performance.now());
    this.#askedAt = undefined;
    this.#begunAt += waitedMs;
    this.#ms.set('client', Math.round((this.#ms.get('client') ?? 0) + waitedMs));
  }
}

/** Measures the phases of the imports of this process, and the longest wait in any. */
export class ImportPhases {
  readonly #clocks = new Set<PhaseClock>();
  readonly #duration: Histogram<'phase'>;
  readonly #records: Counter;

  constructor(pool: Pool, { log, metrics }: Pick<ServiceContext, 'log' | 'metrics'>) {
    const registers = [metrics];
    this.#duration = new Histogram({
      name: 'import_duration_seconds',
      help: 'Duration of the phases of imports, in seconds: upload, wait, plan, apply.',
      labelNames: ['phase'],
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1_800],
      registers,
    });
    for (const phase of PHASES) this.#duration.zero({ phase });
    this.#records = new Counter({ name: 'import_records_total', help: 'Records of ended imports.', registers });
    const ratio: Gauge<'phase'> = new Gauge({
      name: 'import_slowness_ratio',
      help: 'Time that an import has spent in its phase, compared with the usual time for its size: the slowest now, by phase.',
      labelNames: ['phase'],
      registers,
      collect: async () => {
        const slowest: Record<Phase, number> = { upload: 0, wait: 0, plan: 0, apply: 0 };
        for (const { slowness } of this.#clocks) slowest[slowness.phase] = Math.max(slowest[slowness.phase], slowness.ratio);
        try {
          slowest.wait = Math.max(slowest.wait, slownessOf('wait', 0, await longestWaitSeconds(pool)));
        } catch (error) {
          log.warn({ err: error }, 'longest wait of imports not measured');
        }
        for (const phase of PHASES) ratio.set({ phase }, slowest[phase]);
      },
    });
  }

  /** Measures what `work` does by a clock. Its phases count only if it returns a result. */
  async measure<T>(clock: PhaseClock, work: (clock: PhaseClock) => Promise<T>): Promise<T> {
    this.#clocks.add(clock);
    try {
      const result = await work(clock);
      if (result === undefined) return result;
      const { ms, records } = clock;
      for (const phase of PHASES) if (ms[phase] !== undefined) this.#duration.observe({ phase }, ms[phase] / 1_000);
      if (ms.plan !== undefined) this.#records.inc(records);
      return result;
    } finally {
      this.#clocks.delete(clock);
    }
  }
}

async function longestWaitSeconds(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>('select imports.longest_wait_seconds() as seconds');
  return rows[0]?.seconds ?? 0;
}
