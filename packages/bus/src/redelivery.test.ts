import { DatabaseUnavailableError } from '@survey/postgres/database-error.ts';
import { describe, expect, it } from 'vitest';
import { RetryLaterError, redeliveryDelayMs } from './redelivery.ts';

describe('redeliveryDelayMs', () => {
  it('doubles up to ten minutes when the message itself fails', () => {
    const delays = [1, 2, 3, 7, 8, 5_000].map((deliveries) => redeliveryDelayMs(new Error('fault'), deliveries));
    expect(delays).toEqual([5_000, 10_000, 20_000, 320_000, 600_000, 600_000]);
  });

  it.each([new DatabaseUnavailableError('away'), Object.assign(new Error('lock'), { code: '55P03' })])(
    'stays at five seconds when a dependency is unavailable: %s',
    (error) => {
      expect([1, 9].map((deliveries) => redeliveryDelayMs(error, deliveries))).toEqual([5_000, 5_000]);
    },
  );

  it('returns the delay that the error requests', () => {
    expect(redeliveryDelayMs(new RetryLaterError('stopping', { delayMs: 0 }), 4)).toBe(0);
  });
});
