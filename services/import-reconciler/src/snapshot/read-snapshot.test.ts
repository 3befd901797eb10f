import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { KnownHashes } from './known-hashes.ts';
import { readSnapshot, type UnknownEmployee } from './read-snapshot.ts';
import { hasher, R, read } from './reading.fixture.ts';

describe('field errors', () => {
  test('include one bad record among 10,000 [IMPORT-REQUEST-SHAPE-6]', async () => {
    const employees = Array.from({ length: 10_000 }, (_, n) => (n === 9000 ? { ...R(n), x: 1 } : R(n)));
    const summary = await read(JSON.stringify({ employees }));
    expect(summary).toMatchObject({
      employees: 10_000,
      findings: [{ pointer: '/employees/9000/x', detail: 'unknown property' }],
    });
  });

  test('are listed up to 100 and all counted', async () => {
    const summary = await read(JSON.stringify({ employees: Array.from({ length: 750 }, () => ({})) }));
    expect(summary).toMatchObject({ employees: 750, fieldErrorsTotal: 3000 });
    expect(summary.findings).toHaveLength(100);
    expect(summary.findings[99]?.pointer).toBe('/employees/24/lastname');
  });

  test('show at most 100 characters of a name', async () => {
    const { findings } = await read(JSON.stringify({ employees: [{ ...R(1), ['x'.repeat(101)]: 1 }] }));
    expect(findings).toMatchObject([{ pointer: `/employees/0/${'x'.repeat(100)}…` }]);
  });

  test('are counted up to a million', async () => {
    const records = `${JSON.stringify({ attributes: Array(9_996).fill(0) })},`.repeat(130);
    const { fieldErrorsTotal, findings } = await read(`{"employees":[${records.slice(0, -1)}]}`);
    expect([fieldErrorsTotal, findings.length]).toEqual([1_010_001, 100]);
  });

  test('name the import_id of their record, if it is valid [ERRORS-SHAPE-3]', async () => {
    const employees = [
      { ...R(1), role: 5, language: 5 },
      R(2),
      { ...R(3), import_id: 5 },
      { ...R(4), import_id: '\u200b', role: 5 },
      { ...R(5), import_id: 'x'.repeat(256) },
      { ...R(6), unknown: 1 },
    ];
    const { findings } = await read(JSON.stringify({ employees }));
    expect(findings.map(({ pointer, import_id }) => [pointer, import_id])).toEqual([
      ['/employees/0/language', 'E1'],
      ['/employees/0/role', 'E1'],
      ['/employees/2/import_id', undefined],
      ['/employees/3/role', undefined],
      ['/employees/4/import_id', undefined],
      ['/employees/5/unknown', 'E6'],
    ]);
  });

  test('end with broken JSON, and the source is closed', async () => {
    let isClosed = false;
    let chunks = 0;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        yield Buffer.from('{"employees":[}');
        for (; ; chunks += 1) yield Buffer.alloc(1 << 18, ' ');
      } finally {
        isClosed = true;
      }
    }
    const { findings } = await readSnapshot(source(), { encoding: 'identity', hasher, knownHashes: new KnownHashes(0) });
    expect(findings).toEqual([{ pointer: '', detail: 'invalid JSON: unexpected character at byte offset 14' }]);
    expect(isClosed).toBe(true);
    expect(chunks).toBeLessThan(20);
  });

  test('do not include an error of the source, which is rethrown', async () => {
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('{');
      throw new Error('the caller is gone');
    }
    for (const encoding of ['identity', 'gzip'] as const)
      await expect(readSnapshot(source(), { encoding, hasher, knownHashes: new KnownHashes(0) })).rejects.toThrow(
        'the caller is gone',
      );
  });
});

describe('applying pass', () => {
  const employees = Array.from({ length: 250 }, (_, n) => R(n));

  test('passes unknown employees in ordered batches and waits for each', async () => {
    const batches: UnknownEmployee[][] = [];
    let running = 0;
    const onUnknown = async (batch: readonly UnknownEmployee[]) => {
      expect((running += 1)).toBe(1);
      await setTimeout(5);
      batches.push([...batch]);
      running -= 1;
    };
    await read(JSON.stringify({ employees }), { onUnknown });
    expect(batches.map((batch) => batch.length)).toEqual([100, 100, 50]);
    expect(batches.flat().map(({ index, record }) => ({ index, ...record }))).toEqual(
      employees.map((record, index) => ({ index, ...record })),
    );
  });

  test('keeps absent and null values distinct [IMPORT-VALUES-1]', async () => {
    const records: unknown[] = [];
    const onUnknown = async (batch: readonly UnknownEmployee[]) => void records.push(...batch.map(({ record }) => record));
    await read(JSON.stringify({ employees: [R(1), { ...R(2), role: null }] }), { onUnknown });
    expect(records).toEqual([R(1), { ...R(2), role: null }]);
    expect(records.map((record) => Object.keys(Object(record)).includes('role'))).toEqual([false, true]);
  });

  test('recognises stored records unless their bytes have changed', async () => {
    const known = new KnownHashes(employees.length);
    await read(JSON.stringify({ employees }), {
      onUnknown: async (batch) => batch.forEach(({ index, hash }) => known.add(index, hash)),
    });
    const seen: number[] = [];
    const unknown: number[] = [];
    const changed = employees.with(7, { ...R(7), lastname: 'New' });
    const summary = await read(JSON.stringify({ employees: changed }), {
      knownHashes: known,
      onKnown: (ord, index) => seen.push(ord - index),
      onUnknown: async (batch) => void unknown.push(...batch.map(({ index }) => index)),
    });
    expect(summary).toMatchObject({ employees: 250, fieldErrorsTotal: 0 });
    expect(seen).toEqual(Array.from({ length: 249 }, () => 0));
    expect(unknown).toEqual([7]);
  });

  test('ends with the error of the callback', async () => {
    const onUnknown = () => Promise.reject(new Error('connection lost'));
    await expect(read(JSON.stringify({ employees }), { onUnknown })).rejects.toThrow('connection lost');
  });
});
