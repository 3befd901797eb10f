import { describe, expect, it } from 'vitest';
import { dateTime } from './query-parameters.ts';

const messageFor = (text: string): string | undefined => dateTime.safeParse(text).error?.issues[0]?.message;

describe('dateTime', () => {
  it.each([
    '0000-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '2024-02-30T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:00:00+25:00',
  ])('names the range when %s is written like RFC 3339 and is outside of it [DATETIMES-FORMAT-2]', (text) => {
    expect(messageFor(text)).toBe('must be an existing date and time from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z');
  });

  it.each(['2024-01-01', '2024-01-01 00:00:00Z', '2024-01-01T00:00:00', ''])(
    'names the form when it gets %j [DATETIMES-FORMAT-1]',
    (text) => {
      expect(messageFor(text)).toContain('must be an RFC 3339 date-time with an offset');
    },
  );
});
