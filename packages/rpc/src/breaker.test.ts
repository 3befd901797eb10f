import { setTimeout as sleep } from 'node:timers/promises';
import { toolOf } from '@survey/process/tool.ts';
import { afterEach, expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';
import { notFound } from './application-error.ts';
import { UpstreamError } from './upstream-error.ts';

await using resources = new AsyncDisposableStack();
const breaker = () => stack.use(createBreaker('test', { ...toolOf('test'), resources }));
let stack = new DisposableStack();
afterEach(() => {
  stack.dispose();
  stack = new DisposableStack();
});

const failing = (reason: Error) => () => Promise.reject(reason);
const down = failing(new UpstreamError('UNAVAILABLE'));

it('opens after a majority of faults among many calls, and then rejects without calling', async () => {
  const { guard } = breaker();
  for (let n = 0; n < 20; n++) await expect(guard(down)).rejects.toThrow('UNAVAILABLE');
  let called = false;
  const work = () => Promise.resolve((called = true));
  await expect(guard(work)).rejects.toMatchObject({ name: 'ApplicationError', code: 'busy' });
  expect(called).toBe(false);
});

it.each([
  ['rejections', notFound('x')],
  ['callers who hung up', new UpstreamError('CANCELLED')],
])('%s do not open it', async (_name, error) => {
  const { guard } = breaker();
  for (let n = 0; n < 40; n++) await expect(guard(failing(error))).rejects.toBe(error);
  expect(await guard(() => Promise.resolve('ok'))).toBe('ok');
});

it('lets one trial call through after two seconds, rejects the others meanwhile, and closes when it succeeds', async () => {
  const { guard } = breaker();
  for (let n = 0; n < 20; n++) await expect(guard(down)).rejects.toThrow('UNAVAILABLE');
  await sleep(2_100);
  const trial = Promise.withResolvers<string>();
  const tried = guard(() => trial.promise);
  await expect(guard(() => Promise.resolve('second'))).rejects.toMatchObject({ code: 'busy' });
  trial.resolve('back');
  expect(await tried).toBe('back');
  expect(await guard(() => Promise.resolve('third'))).toBe('third');
});

it('logs why calls fail, once for each reason, and no text of the other service', async () => {
  const lines: string[] = [];
  const tool = toolOf('test');
  const log = Object.assign(Object.create(tool.log), { warn: (_fields: object, line: string) => void lines.push(line) });
  const { guard } = stack.use(createBreaker('test', { ...tool, resources, log }));
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const causes = [
    new UpstreamError('UNAVAILABLE', { cause: refused }),
    new UpstreamError('UNAVAILABLE', { cause: refused }),
    new UpstreamError('INTERNAL', { cause: new Error('an answer of somebody') }),
    new UpstreamError('CANCELLED'),
  ];
  for (const error of causes) await expect(guard(failing(error))).rejects.toBe(error);
  expect(lines).toEqual([expect.stringContaining('ECONNREFUSED 127.0.0.1:1'), 'upstream call failed: INTERNAL']);
});
