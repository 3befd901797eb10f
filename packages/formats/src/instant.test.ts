import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasInstantForm, normaliseInstant, instantOf, microsecondsOf } from './instant.ts';

describe('returns the same instant in UTC, to the microsecond', () => {
  it.each([
    ['DATETIMES-FORMAT-1', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000000Z'],
    ['DATETIMES-FORMAT-3', '2024-01-01T00:00:00+02:00', '2023-12-31T22:00:00.000000Z'],
    ['west [DATETIMES-FORMAT-3]', '2023-12-31T20:30:00-01:30', '2023-12-31T22:00:00.000000Z'],
    ['lower case [DATETIMES-FORMAT-1]', '2024-01-01t00:00:00z', '2024-01-01T00:00:00.000000Z'],
    ['leap second [DATETIMES-FORMAT-4]', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000Z'],
    ['with a fraction [DATETIMES-FORMAT-4]', '2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.500000Z'],
    ['with an offset [DATETIMES-FORMAT-4]', '2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000000Z'],
    ['truncated [DATETIMES-FORMAT-5]', '2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00.123456Z'],
    ['not rounded up [DATETIMES-FORMAT-5]', '2024-12-31T23:59:59.9999999Z', '2024-12-31T23:59:59.999999Z'],
    ['before 1970 [DATETIMES-FORMAT-5]', '1969-12-31T23:59:59.9999999Z', '1969-12-31T23:59:59.999999Z'],
    ['one digit', '2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.500000Z'],
    ['unknown offset [DATETIMES-FORMAT-1]', '2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.000000Z'],
    ['leap day', '2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000000Z'],
    ['leap day of 2000', '2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000000Z'],
    ['the first year', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['the first century', '0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000000Z'],
    ['the last moment', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['as many digits as are read', `2024-01-01T00:00:00.${'1'.repeat(43)}Z`, '2024-01-01T00:00:00.111111Z'],
    ['the largest offset', '2024-01-01T00:00:00+23:59', '2023-12-31T00:01:00.000000Z'],
  ])('%s: %s', (_name, text, expected) => {
    expect(normaliseInstant(text)).toBe(expected);
  });

  it('agrees with Date where Date does not guess', () => {
    const moment = fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, fc.integer({ min: -1_439, max: 1_439 }), (date, offset) => {
        const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const text = `${local}${offset < 0 ? '-' : '+'}${clock(Math.abs(offset))}`;
        expect(normaliseInstant(text)).toBe(date.toISOString().replace('Z', '000Z'));
      }),
    );
  });

  it('is idempotent, and sorts as text in time order', () => {
    const moment = fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        const [first = '', second = ''] = [one, other].map((date) => normaliseInstant(date.toISOString()));
        expect(normaliseInstant(first)).toBe(first);
        expect(first < second).toBe(one < other);
      }),
    );
  });
});

describe('anything else', () => {
  it.each([
    ['date only [DATETIMES-FORMAT-1]', '2024-01-01'],
    ['no offset [DATETIMES-FORMAT-1]', '2024-01-01T00:00:00'],
    ['30 February [DATETIMES-FORMAT-2]', '2024-02-30T00:00:00Z'],
    ['29 February of a common year', '2023-02-29T00:00:00Z'],
    ['29 February of 1900', '1900-02-29T00:00:00Z'],
    ['day 0', '2024-01-00T00:00:00Z'],
    ['month 0', '2024-00-01T00:00:00Z'],
    ['month 13', '2024-13-01T00:00:00Z'],
    ['day 99', '2024-12-99T00:00:00Z'],
    ['space [DATETIMES-FORMAT-1]', '2024-01-01 00:00:00Z'],
    ['space for a plus [DATETIMES-FORMAT-1]', '2024-01-01T00:00:00 02:00'],
    ['no seconds [DATETIMES-FORMAT-1]', '2024-01-01T00:00Z'],
    ['hour 24 [DATETIMES-FORMAT-2]', '2024-01-01T24:00:00Z'],
    ['minute 60', '2024-01-01T00:60:00Z'],
    ['second 61', '2016-12-31T23:59:61Z'],
    ['second 60 within the day [DATETIMES-FORMAT-4]', '2016-12-31T12:00:60Z'],
    ['second 60 at midnight of elsewhere [DATETIMES-FORMAT-4]', '2016-12-31T23:59:60+01:00'],
    ['offset of 25 hours [DATETIMES-FORMAT-1]', '2024-01-01T00:00:00+25:00'],
    ['offset of 60 minutes', '2024-01-01T00:00:00+01:60'],
    ['offset without a colon', '2024-01-01T00:00:00+0100'],
    ['offset of hours', '2024-01-01T00:00:00+01'],
    ['a point without digits', '2024-01-01T00:00:00.Z'],
    ['a comma', '2024-01-01T00:00:00,5Z'],
    ['a character that replaces a bad byte [DATETIMES-FORMAT-6]', '2024-01-01T00:00:00\uFFFD'],
    ['other digits', '２０24-01-01T00:00:00Z'],
    ['a space before', ' 2024-01-01T00:00:00Z'],
    ['a line after', '2024-01-01T00:00:00Z\n'],
    ['year 0', '0000-12-31T00:00:00Z'],
    ['the year before the first, in UTC', '0001-01-01T00:00:00+00:01'],
    ['the year after the last, in UTC', '9999-12-31T23:59:59-00:01'],
    ['a leap second that ends the last year', '9999-12-31T23:59:60Z'],
    ['a year of five digits', '12024-01-01T00:00:00Z'],
    ['a name of a time', 'now'],
    ['nothing', ''],
    ['more digits than anybody needs', `2024-01-01T00:00:00.${'1'.repeat(44)}Z`],
  ])('%s: %s', (_name, text) => {
    expect(normaliseInstant(text)).toBeUndefined();
  });
});

it('tells the form of an instant from its numbers', () => {
  expect(['2024-13-41T25:00:00Z', '2024-01-01', ''].map(hasInstantForm)).toEqual([true, false, false]);
});

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

it.each([
  ['1970-01-01T00:00:00Z', 0],
  ['1969-12-31T23:59:59.999999Z', -1],
  ['2024-01-31T23:00:00.123456789+01:00', 1_706_738_400_123_456],
  ['2255-06-05T23:47:34.740991Z', Number.MAX_SAFE_INTEGER],
  ['2255-06-05T23:47:34.740990Z', Number.MAX_SAFE_INTEGER - 1],
  ['9999-12-31T23:59:59.999999Z', Number.MAX_SAFE_INTEGER],
  ['0001-01-01T00:00:00Z', Number.MIN_SAFE_INTEGER],
])('%s is %d microseconds', (text, microseconds) => {
  expect(microsecondsOf(normaliseInstant(text) ?? '')).toBe(microseconds);
});

it.each([0, -1, 1_706_738_400_123_456, -1_001])('%d microseconds are an instant and back', (microseconds) => {
  const instant = instantOf(microseconds);
  expect([normaliseInstant(instant), microsecondsOf(instant)]).toEqual([instant, microseconds]);
});
