import { describe, expect, it } from 'vitest';
import { printable, renderFields, renderTable, renderTime } from './output.ts';

describe('a table', () => {
  it('has a heading and aligned columns, and no colour without a terminal', () => {
    const text = renderTable(
      ['ID', 'NAME'],
      [
        ['1', 'ACME'],
        ['1000', 'B'],
      ],
    );
    expect(text.split('\n')).toEqual(['ID    NAME', '1     ACME', '1000  B']);
  });

  it('reports that it is empty', () => {
    expect(renderTable(['ID'], [])).toBe('none');
  });

  it('does not let a name control the terminal', () => {
    expect(renderTable(['NAME'], [['\u001b[2Jevil\nline']])).toContain(String.raw`\u{1b}[2Jevil\u{a}line`);
  });
});

describe('fields', () => {
  it('are listed one per line', () => {
    expect(renderFields({ state: 'applied', created: '3' }).split('\n')).toEqual(['state    applied', 'created  3']);
  });
});

describe('printable text', () => {
  it('keeps letters of every script', () => {
    expect(printable('Łódź 東京 عمان 😀')).toBe('Łódź 東京 عمان 😀');
  });

  it('escapes characters that reverse or hide text', () => {
    expect(printable('a\u202Eb\u200Bc')).toBe(String.raw`a\u{202e}b\u{200b}c`);
  });
});

describe('a time', () => {
  it('is shown to the second', () => {
    expect(renderTime('2026-11-20T08:09:10.123456Z')).toBe('2026-11-20 08:09:10 UTC');
    expect(renderTime(null)).toBe('-');
  });
});
