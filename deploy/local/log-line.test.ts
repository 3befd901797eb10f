import { expect, test } from 'vitest';
import { renderLine, type Paint } from './log-line.ts';

const plain: Paint = (_colour, text) => text;
const source = { name: 'export', colour: 'cyan' } as const;
const time = '2026-11-20T10:11:12.345Z';

test('renders time, service, level, message and the other fields of a record', () => {
  const line = JSON.stringify({ level: 'info', time, service: 'export', address: '127.0.0.1:8081', ms: 5, msg: 'serving' });
  expect(renderLine(source, line, plain)).toBe('10:11:12.345 export            info  serving address=127.0.0.1:8081 ms=5');
});

test('quotes values with spaces and renders objects as JSON', () => {
  const line = JSON.stringify({ level: 'warn', time, reason: 'not yet', counts: { created: 2 }, msg: '' });
  expect(renderLine(source, line, plain)).toContain('reason="not yet" counts={"created":2}');
});

test("renders an error's message and where it was thrown", () => {
  const err = { type: 'TypeError', message: 'broken', stack: 'TypeError: broken\n    at f (a.ts:1:2)\n    at g (b.ts:3:4)' };
  const shown = renderLine(source, JSON.stringify({ level: 'error', time, err, msg: 'start failed' }), plain);
  expect(shown.split('\n')).toEqual([
    expect.stringContaining('start failed TypeError: broken'),
    '    at f (a.ts:1:2)',
    '    at g (b.ts:3:4)',
  ]);
});

test('renders a message that repeats the error once', () => {
  const err = { type: 'Error', message: 'broken', stack: 'Error: broken' };
  expect(renderLine(source, JSON.stringify({ level: 'error', time, err, msg: 'broken' }), plain).match(/broken/g)).toHaveLength(
    1,
  );
});

test('returns a line that is not a log record unchanged', () => {
  expect(renderLine(source, 'node:internal/modules: oops', plain)).toMatch(/^ +export +node:internal\/modules: oops$/);
  expect(renderLine(source, '{"half":', plain)).toMatch(/\{"half":$/);
  expect(renderLine(source, '"text"', plain)).toMatch(/"text"$/);
});

test('paints the service in its colour, warnings and errors in theirs', () => {
  const shown = renderLine(
    source,
    JSON.stringify({ level: 'error', time, msg: 'm' }),
    (colour, text) => `<${colour}>${text.trim()}</>`,
  );
  expect(shown).toContain('<cyan>export</>');
  expect(shown).toContain('<red>error</>');
});
