import { expect, test } from 'vitest';
import { renderLine, type Paint } from './log-line.ts';

const plain: Paint = (_colour, text) => text;
const source = { name: 'export', colour: 'cyan' } as const;
const time = '2026-11-20T10:11:12.345Z';

test('a record becomes time, service, level, message and its other fields', () => {
  const line = JSON.stringify({ level: 'info', time, service: 'export', address: '127.0.0.1:8081', ms: 5, msg: 'serving' });
  expect(renderLine(source, line, plain)).toBe('10:11:12.345 export            info  serving address=127.0.0.1:8081 ms=5');
});

test('values with spaces are quoted, objects are JSON', () => {
  const line = JSON.stringify({ level: 'warn', time, reason: 'not yet', counts: { created: 2 }, msg: '' });
  expect(renderLine(source, line, plain)).toContain('reason="not yet" counts={"created":2}');
});

test('an error shows its message and where it was thrown', () => {
  const err = { type: 'TypeError', message: 'broken', stack: 'TypeError: broken\n    at f (a.ts:1:2)\n    at g (b.ts:3:4)' };
  const shown = renderLine(source, JSON.stringify({ level: 'error', time, err, msg: 'could not start' }), plain);
  expect(shown.split('\n')).toEqual([
    expect.stringContaining('could not start TypeError: broken'),
    '    at f (a.ts:1:2)',
    '    at g (b.ts:3:4)',
  ]);
});

test('a message that repeats the error is shown once', () => {
  const err = { type: 'Error', message: 'broken', stack: 'Error: broken' };
  expect(renderLine(source, JSON.stringify({ level: 'error', time, err, msg: 'broken' }), plain).match(/broken/g)).toHaveLength(
    1,
  );
});

test('what is no log record is shown as it is', () => {
  expect(renderLine(source, 'node:internal/modules: oops', plain)).toMatch(/^ +export +node:internal\/modules: oops$/);
  expect(renderLine(source, '{"half":', plain)).toMatch(/\{"half":$/);
  expect(renderLine(source, '"text"', plain)).toMatch(/"text"$/);
});

test('the service is painted in its colour, warnings and errors in theirs', () => {
  const shown = renderLine(
    source,
    JSON.stringify({ level: 'error', time, msg: 'm' }),
    (colour, text) => `<${colour}>${text.trim()}</>`,
  );
  expect(shown).toContain('<cyan>export</>');
  expect(shown).toContain('<red>error</>');
});
