import { describe, expect, it } from 'vitest';
import { FactBuffer } from './publish-facts.ts';

const fact = (bytes: number): Uint8Array => new Uint8Array(bytes);

describe('a message of facts', () => {
  it('holds 1,000 of them', () => {
    const buffer = new FactBuffer();
    for (let count = 1; count < 1_000; count += 1) expect(buffer.add(fact(10))).toBeUndefined();
    expect(buffer.add(fact(10))).toHaveLength(1_000);
    expect(buffer.take()).toEqual([]);
  });

  it('stays below 512 KiB', () => {
    const buffer = new FactBuffer();
    expect(buffer.add(fact(300_000))).toBeUndefined();
    expect(buffer.add(fact(200_000))).toBeUndefined();
    expect(buffer.add(fact(100_000))?.map(({ length }) => length)).toEqual([300_000, 200_000]);
    expect(buffer.take()).toHaveLength(1);
  });

  it('is one fact when that is larger', () => {
    const buffer = new FactBuffer();
    expect(buffer.add(fact(700_000))).toBeUndefined();
    expect(buffer.add(fact(1))?.map(({ length }) => length)).toEqual([700_000]);
  });
});
