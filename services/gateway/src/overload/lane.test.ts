import { describe, expect, it } from 'vitest';
import { Lane } from './lane.ts';

const forever = new AbortController().signal;
const PATIENCE_MS = 60_000;
const options = { places: 2, placesPerAccount: 2, waiting: 6, waitingPerAccount: 4 };

/** Enters and notes who has come in, and when told to, gives the place back. */
function enter(lane: Lane, account: number, order: number[], signal = forever) {
  const entered = lane.enter(account, signal, PATIENCE_MS);
  entered.then(
    () => order.push(account),
    () => {},
  );
  return entered;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a lane', () => {
  it('lets in as many as it has places, and each further one when a place is given back', async () => {
    const lane = new Lane(options);
    const order: number[] = [];
    const first = await enter(lane, 1, order);
    await enter(lane, 1, order);
    void enter(lane, 1, order);
    await settled();
    expect(order).toEqual([1, 1]);
    first[Symbol.dispose]();
    // Once only, however often it is given back.
    first[Symbol.dispose]();
    void enter(lane, 1, order);
    await settled();
    expect(order).toEqual([1, 1, 1]);
  });

  it('calls accounts in turn: who waits for little does not wait behind who waits for much', async () => {
    const lane = new Lane({ ...options, places: 1 });
    const order: number[] = [];
    const begin = await lane.enter(9, forever, PATIENCE_MS);
    for (const account of [1, 1, 1, 2, 3])
      // Whoever comes in leaves at once.
      void enter(lane, account, order).then((place) => setImmediate(() => place[Symbol.dispose]()));
    begin[Symbol.dispose]();
    for (let n = 0; n < 10; n++) await settled();
    expect(order).toEqual([1, 2, 3, 1, 1]);
  });

  it('refuses with 429 whose account fills its room to wait, with 503 when all together fill theirs', async () => {
    const lane = new Lane({ ...options, places: 1 });
    await lane.enter(9, forever, PATIENCE_MS);
    for (let n = 0; n < 4; n++) void lane.enter(1, forever, PATIENCE_MS);
    await expect(lane.enter(1, forever, PATIENCE_MS)).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
    for (let n = 0; n < 2; n++) void lane.enter(2, forever, PATIENCE_MS);
    await expect(lane.enter(3, forever, PATIENCE_MS)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });

  it('holds one account to its places while others have theirs', async () => {
    const lane = new Lane({ ...options, places: 4, placesPerAccount: 1 });
    const order: number[] = [];
    const first = await enter(lane, 1, order);
    void enter(lane, 1, order);
    await enter(lane, 2, order);
    expect(order).toEqual([1, 2]);
    first[Symbol.dispose]();
    await settled();
    expect(order).toEqual([1, 2, 1]);
  });

  it('refuses with 503 who has waited for too long, and lets in who came later', async () => {
    const lane = new Lane({ ...options, places: 1 });
    const order: number[] = [];
    const place = await lane.enter(9, forever, PATIENCE_MS);
    const waiting = lane.enter(1, forever, 1);
    void enter(lane, 2, order);
    await expect(waiting).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    place[Symbol.dispose]();
    await settled();
    expect(order).toEqual([2]);
  });

  it('forgets who leaves while waiting', async () => {
    const lane = new Lane({ ...options, places: 1, waiting: 1 });
    const order: number[] = [];
    const place = await lane.enter(9, forever, PATIENCE_MS);
    const leaving = new AbortController();
    const gone = lane.enter(1, leaving.signal, PATIENCE_MS);
    leaving.abort();
    await expect(gone).rejects.toThrow('left');
    void enter(lane, 2, order);
    place[Symbol.dispose]();
    await settled();
    expect(order).toEqual([2]);
    await expect(lane.enter(3, leaving.signal, PATIENCE_MS)).rejects.toThrow('abort');
  });
});
