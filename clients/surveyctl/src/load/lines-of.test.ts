import { describe, expect, it } from 'vitest';
import { linesOf, type SourceLine } from './lines-of.ts';

async function read(...chunks: (string | Buffer)[]): Promise<SourceLine[]> {
  async function* source(): AsyncIterable<Uint8Array> {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const lines: SourceLine[] = [];
  for await (const some of linesOf(source())) lines.push(...some);
  return lines;
}

describe('lines', () => {
  it('are numbered as in an editor, without blank ones', async () => {
    expect(await read('a\n\nb\r\n  \nc')).toEqual([
      { number: 1, text: 'a' },
      { number: 3, text: 'b\r' },
      { number: 5, text: 'c' },
    ]);
  });

  it('may span chunks, even within a letter', async () => {
    const bytes = Buffer.from('{"a":"ä"}\n{"b":1}\n');
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const lines = await read(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(lines).toEqual([
        { number: 1, text: '{"a":"ä"}' },
        { number: 2, text: '{"b":1}' },
      ]);
    }
  });

  it('lose a byte order mark', async () => {
    expect(await read('\u{FEFF}a\n')).toEqual([{ number: 1, text: 'a' }]);
  });

  it('that are not UTF-8 or too long are reported, and the next ones read', async () => {
    const long = 'x'.repeat(400_000);
    expect(await read(Buffer.from([0xff, 0x0a]), long, long, '\nok\n')).toEqual([
      { number: 1, fault: 'is not UTF-8' },
      { number: 2, fault: 'is longer than 786432 bytes' },
      { number: 3, text: 'ok' },
    ]);
  });

  it('of an empty source are none', async () => {
    expect(await read()).toEqual([]);
    expect(await read('')).toEqual([]);
  });
});
