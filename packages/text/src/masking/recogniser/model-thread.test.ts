import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openModelThread } from './model-thread.ts';

// A thread instead of the model's. It returns how many windows are in the thread at the same time.
// [1] and [2] end it, [3] does so after its answer, [4] is an error that it reports.
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
let waiting = 0;
parentPort.on('message', ([id]) => {
  if (id === 1) process.exit(1);
  if (id === 2) throw new Error();
  if (id === 3) setTimeout(() => process.exit(1), 50);
  if (id === 4) return parentPort.postMessage({ failed: 'no logits' });
  waiting += 1;
  setTimeout(() => {
    parentPort.postMessage({ logits: Float32Array.of(waiting) });
    waiting -= 1;
  }, 5);
});
parentPort.postMessage({ version: 'test' });
`;

const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
const ONE = Float32Array.of(1);

it('gives the model one window at a time', async () => {
  await using model = await openModelThread('', program);
  const logits = await Promise.all(Array.from({ length: 20 }, () => model.run([0])));
  expect(logits).toEqual(Array(20).fill(ONE));
});

it.each([1, 2])('replaces a thread that a window ends (%i): only this window fails', async (deadly) => {
  await using model = await openModelThread('', program);
  const [before, failed, after] = await Promise.allSettled([0, deadly, 0].map((id) => model.run([id])));
  const fulfilled = { status: 'fulfilled', value: ONE };
  expect([before, after]).toEqual([fulfilled, fulfilled]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'ThreadEndedError' } });
});

it('replaces a thread that ends while no window waits', async () => {
  await using model = await openModelThread('', program);
  expect(await model.run([3])).toEqual(ONE);
  await sleep(500);
  expect(await model.run([0])).toEqual(ONE);
});

it('goes on with the same thread after an error', async () => {
  await using model = await openModelThread('', program);
  await expect(model.run([4])).rejects.toThrow('no logits');
  expect(await model.run([0])).toEqual(ONE);
});

it('fails to open when the thread ends before the model is loaded', async () => {
  const ending = new URL('data:text/javascript,process.exit(1)');
  await expect(openModelThread('', ending)).rejects.toThrow('cannot load the masking model');
});
