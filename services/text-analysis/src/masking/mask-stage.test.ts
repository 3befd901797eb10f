import { embeddedMasker } from '@survey/text/masking/embedded-masker.ts';
import { afterEach, expect, it, vi } from 'vitest';
import { maskStage } from './mask-stage.ts';

afterEach(() => void vi.useRealTimers());

it('leaves each account to processes of release 0.1 for eight minutes, and again after a rollback', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const stage = maskStage(embeddedMasker, () => Promise.reject(new Error('no text is masked here')));
  const yields = (accountId: number) => stage.yieldsTo?.(accountId, '7', '7 7 embedded-7');
  expect(yields(1)).toBe(true);
  vi.advanceTimersByTime(7 * 60_000);
  expect([yields(1), yields(2)]).toEqual([true, true]);
  vi.advanceTimersByTime(60_000);
  expect([yields(1), yields(2)]).toEqual([false, true]);
  expect(yields(1)).toBe(true);
  // Texts masked by another policy are hidden, so these do not wait.
  expect(stage.yieldsTo?.(1, '8', '7 7 embedded-7')).toBe(false);
});
