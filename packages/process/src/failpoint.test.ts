import { expect, it } from 'vitest';
import { enableFailpoints, failpoint } from './failpoint.ts';

it('does nothing unless tests enable it', () => {
  enableFailpoints({});
  expect(failpoint('import.claimed')).toBeUndefined();
});

it('cannot be enabled in production', () => {
  expect(() => enableFailpoints({ FAILPOINTS: 'on', NODE_ENV: 'production' })).toThrow(
    'FAILPOINTS must not be set in production: unset it',
  );
});
