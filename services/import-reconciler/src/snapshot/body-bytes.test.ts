import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { SnapshotTooLargeError } from './body-bytes.ts';
import type { SnapshotReading } from './read-snapshot.ts';
import { R, read } from './reading.fixture.ts';

describe('gzip body', () => {
  const plain = JSON.stringify({ employees: [R(1), R(2)] });
  const gzip = gzipSync(plain);

  test.each([
    ['one member', gzip],
    ['two members', Buffer.concat([gzipSync(plain.slice(0, 50)), gzipSync(plain.slice(50))])],
  ])('is read when it is %s', async (_name, body) => {
    const size = { receivedBytes: body.length, jsonBytes: plain.length, largestBytes: expect.any(Number) };
    expect(await read(body, { encoding: 'gzip' })).toEqual({ employees: 2, findings: [], fieldErrorsTotal: 0, ...size });
  });

  test.each([
    ['plain bytes', Buffer.from(plain)],
    ['truncated', gzip.subarray(0, -3)],
    ['trailing garbage', Buffer.concat([gzip, Buffer.from('xyz')])],
    ['trailing zeros', Buffer.concat([gzip, Buffer.alloc(300_000)])],
    ['nothing', Buffer.alloc(0)],
    ['gzip of gzip', Buffer.concat([gzip.subarray(0, 30), Buffer.alloc(30, 7)])],
  ])('is rejected when it is %s [IMPORT-REQUEST-ENCODING-1]', async (_name, body) => {
    const { findings } = await read(body, { encoding: 'gzip' });
    expect(findings).toEqual([{ pointer: '', detail: 'not valid gzip' }]);
  });

  test('is rejected with the offset of the fault in the JSON', async () => {
    const body = `{"employees":[${`${JSON.stringify(R(1))},`.repeat(20_000)}}`;
    const detail = `invalid JSON: unexpected character at byte offset ${body.length - 1}`;
    expect(await read(gzipSync(body), { encoding: 'gzip' })).toMatchObject({ findings: [{ detail }] });
  });

  test('is rejected while reading when 255 KiB inflate to 256 MiB [IMPORT-REQUEST-SIZE-1]', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"employees":['), Buffer.alloc(256 * 2 ** 20, ' ')]));
    expect(bomb.length).toBeLessThan(2 ** 19);
    const before = process.memoryUsage.rss();
    const reading = read(bomb, { encoding: 'gzip' });
    await expect(reading).rejects.toMatchObject({ name: 'SnapshotTooLargeError', limit: 'inflationRatio', value: 200 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 2 ** 20);
  });

  test('respects the limits on received and JSON bytes', async () => {
    const ceiling = (limits: SnapshotReading['limits'], encoding: 'gzip' | 'identity', body: string | Buffer) =>
      read(body, { encoding, ...(limits && { limits }) });
    await expect(ceiling({ compressedBytes: 50 }, 'gzip', gzip)).rejects.toThrow(SnapshotTooLargeError);
    await expect(ceiling({ jsonBytes: 100 }, 'gzip', gzip)).rejects.toMatchObject({ limit: 'jsonBytes', value: 100 });
    await expect(ceiling({ jsonBytes: 100 }, 'identity', plain)).rejects.toMatchObject({ limit: 'jsonBytes' });
    expect(await ceiling({ compressedBytes: 50 }, 'identity', plain)).toMatchObject({ fieldErrorsTotal: 0 });
  });
});
