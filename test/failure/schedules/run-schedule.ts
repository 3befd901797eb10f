import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schedule } from './explore.ts';

export const REACHED_WITHIN_MS = 20_000;

type Steps = Schedule<unknown>['steps'];
// What each actor does.
type Calls = Readonly<Record<string, () => Promise<unknown>>>;

const placeOf = (failpoint: string, actor = ''): string => `${actor} ${failpoint}`;

/**
 * Moves the actors one step at a time. Whoever arrives at a failpoint of the rest of the schedule
 * stays there until it is that actor's turn again.
 */
export class ScheduleRun {
  readonly #calls: Calls;
  readonly #begun = new Map<string, Promise<unknown>>();
  // By failpoint, and by actor if that is known: who waits there.
  readonly #arrived = new Map<string, (() => void)[]>();
  // By actor: what lets it continue.
  readonly #stopped = new Map<string, () => void>();
  readonly #actor = new AsyncLocalStorage<string>();
  #rest: Steps;
  // The first error of a call: its actor arrives nowhere.
  #failure: unknown;

  constructor(steps: Steps, calls: Calls) {
    this.#rest = steps;
    this.#calls = calls;
  }

  /** Keeps whoever is at a failpoint of the rest of the schedule. Returns false for other ones. */
  stop(failpoint: string, resume: () => void): boolean {
    const actor = this.#actor.getStore();
    if (!this.#rest.some((step) => step.point === failpoint && (actor ?? step.actor) === step.actor)) return false;
    const place = placeOf(failpoint, actor);
    this.#arrived.set(place, [...(this.#arrived.get(place) ?? []), resume]);
    return true;
  }

  /** As `stop`, for a call in this process: it belongs to the actor that has begun it. */
  reach(failpoint: string): Promise<void> {
    return new Promise((resolve) => {
      if (!this.stop(failpoint, resolve)) resolve();
    });
  }

  async runAll(): Promise<void> {
    while (this.#rest[0] !== undefined) {
      const { actor, point, isOver } = this.#rest[0];
      const call = this.#begun.get(actor) ?? this.#actor.run(actor, () => this.#calls[actor]?.() ?? Promise.resolve());
      this.#begun.set(actor, call);
      call.catch((error: unknown) => (this.#failure ??= error));
      this.#stopped.get(actor)?.();
      this.#stopped.delete(actor);
      // A call without failpoints is a step by itself, and a step that ends its actor reaches none.
      if (isOver || !point.includes('.')) await withinLimit(call, `${actor} does not end at ${point}`);
      else this.#stopped.set(actor, await this.#arrival(actor, point));
      this.#rest = this.#rest.slice(1);
      if (this.#rest.every((step) => step.actor !== actor)) this.#stopped.get(actor)?.();
    }
  }

  /** Lets everyone continue, whatever is left. */
  end(): void {
    this.#rest = [];
    for (const resume of [...this.#stopped.values(), ...[...this.#arrived.values()].flat()]) resume();
    this.#stopped.clear();
    this.#arrived.clear();
  }

  /** Resolves when all calls have ended; call `end` first. */
  async ended(): Promise<void> {
    await withinLimit(Promise.all(this.#begun.values()), 'a call does not end');
  }

  async #arrival(actor: string, point: string): Promise<() => void> {
    const deadline = Date.now() + REACHED_WITHIN_MS;
    for (;;) {
      const first = this.#arrived.get(placeOf(point, actor))?.shift() ?? this.#arrived.get(placeOf(point))?.shift();
      if (first !== undefined) return first;
      if (this.#failure !== undefined) throw this.#failure;
      if (Date.now() > deadline) throw new Error(`${actor} does not reach ${point}`);
      await sleep(1);
    }
  }
}

async function withinLimit(call: Promise<unknown>, otherwise: string): Promise<void> {
  const over = new AbortController();
  const tooLate = sleep(REACHED_WITHIN_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error(otherwise);
  });
  await Promise.race([call, tooLate]);
  over.abort();
  await tooLate.catch(() => undefined);
}
