import { expect, it } from 'vitest';
import { isAtLeast, OLDEST_SERVER } from './streams.ts';

it.each([
  ['2.9.10', false],
  ['2.10.22', false],
  ['2.11.0', false],
  ['2.11.1', true],
  ['2.12.0-RC.1', true],
  ['10.0.0', true],
])('tells whether nats-server %s keeps what it acknowledges: %s', (version, isSupported) => {
  expect(isAtLeast(version, OLDEST_SERVER)).toBe(isSupported);
});
