import { Problem } from '../problem.ts';

export interface LaneOptions {
  // Worked on at the same time, of all accounts and of one.
  readonly places: number;
  readonly placesPerAccount: number;
  // Beyond these so many wait, of all accounts and of one.
  readonly waiting: number;
  readonly waitingPerAccount: number;
}

type Turn = () => void;

const RETRY_SOON = { headers: { 'Retry-After': '1' } };

/**
 * So much work of a kind and no more. Accounts take turns: one that asks for much waits behind itself, not in front of others. What finds no
 * room to wait is refused at once: with 429 when its own account fills the room, with 503 when all together do.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #running = new Map<number, number>();
  // In the order of the accounts' next turns.
  readonly #queues = new Map<number, Turn[]>();
  #runningTotal = 0;
  #waitingTotal = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /**
   * Resolves at this account's turn, with the place to be given back. An aborted signal gives up waiting; `patienceMs` from now it is refused with
   * 503.
   */
  async enter(accountId: number, signal: AbortSignal, patienceMs: number): Promise<Disposable> {
    signal.throwIfAborted();
    if (!this.#queues.has(accountId) && this.#hasPlace(accountId)) return this.#start(accountId);
    this.#refuseWithoutRoom(accountId);
    return this.#wait(accountId, signal, patienceMs);
  }

  #hasPlace(accountId: number): boolean {
    const { places, placesPerAccount } = this.#options;
    return this.#runningTotal < places && (this.#running.get(accountId) ?? 0) < placesPerAccount;
  }

  #refuseWithoutRoom(accountId: number): void {
    const { waiting, waitingPerAccount } = this.#options;
    if ((this.#queues.get(accountId)?.length ?? 0) >= waitingPerAccount) throw tooManyAtOnce();
    if (this.#waitingTotal >= waiting) throw tooBusy();
  }

  #wait(accountId: number, signal: AbortSignal, patienceMs: number): Promise<Disposable> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(patience);
        signal.removeEventListener('abort', leave);
      };
      const giveUp = (why: Error): void => {
        end();
        this.#remove(accountId, turn);
        reject(why);
      };
      const leave = (): void => giveUp(new Error('the client left while it waited'));
      const turn = (): void => {
        end();
        resolve(this.#start(accountId));
      };
      const patience = setTimeout(() => giveUp(tooBusy()), patienceMs);
      signal.addEventListener('abort', leave, { once: true });
      this.#queues.set(accountId, [...(this.#queues.get(accountId) ?? []), turn]);
      this.#waitingTotal += 1;
    });
  }

  #remove(accountId: number, turn: Turn): void {
    const rest = (this.#queues.get(accountId) ?? []).filter((other) => other !== turn);
    // Taken out first: whoever has had a turn is the last to have the next one.
    this.#queues.delete(accountId);
    if (rest.length > 0) this.#queues.set(accountId, rest);
    this.#waitingTotal -= 1;
  }

  #start(accountId: number): Disposable {
    this.#count(accountId, 1);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#count(accountId, -1);
        this.#callNext();
      },
    };
  }

  #count(accountId: number, change: number): void {
    const running = (this.#running.get(accountId) ?? 0) + change;
    if (running === 0) this.#running.delete(accountId);
    else this.#running.set(accountId, running);
    this.#runningTotal += change;
  }

  #callNext(): void {
    for (const [accountId, [turn]] of this.#queues) {
      if (turn === undefined || !this.#hasPlace(accountId)) continue;
      this.#remove(accountId, turn);
      return turn();
    }
  }
}

const tooManyAtOnce = (): Problem =>
  new Problem(
    429,
    'The account has too many requests under way. Send fewer at the same time, and this one again a little later.',
    RETRY_SOON,
  );
const tooBusy = (): Problem =>
  new Problem(503, 'The service has more to do than it can. Try again, with exponential backoff.', RETRY_SOON);
