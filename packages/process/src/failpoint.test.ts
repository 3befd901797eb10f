import { expect, it } from 'vitest';
import { enableFailpoints, failpoint } from './failpoint.ts';

it('a step is nothing to wait for, unless tests ask for it', () => {
  enableFailpoints({});
  expect(failpoint('import.claimed')).toBeUndefined();
});

it('production has no steps', () => {
  expect(() => enableFailpoints({ FAILPOINTS: 'on', NODE_ENV: 'production' })).toThrow('FAILPOINTS is for tests alone: unset it');
});
