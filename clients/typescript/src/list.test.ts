import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { List } from './list.ts';

interface Row {
  id: number;
}

/**
 * Returns a list of rows 1 … `length` in pages of 3. Each change happens after the page of its
 * number was read.
 */
function listOf(happenings: Readonly<Record<number, (rows: Row[]) => void>>, length = 10) {
  const rows: Row[] = Array.from({ length }, (_, index) => ({ id: index + 1 }));
  const asked: number[] = [];
  const read = (limit: number, offset: number) => {
    const page = { total_count: rows.length, rows: rows.slice(offset, offset + limit) };
    asked.push(offset);
    happenings[asked.length]?.(rows);
    return Promise.resolve(page);
  };
  const readFirst = async (limit: number) => ({ page: await read(limit, 0), etag: undefined });
  return { list: new List({ read, readFirst, idOf: (row: Row) => row.id }, 3), asked };
}

async function idsOf(list: List<Row>): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of list) ids.push(id);
  return ids;
}

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('an iteration', () => {
  it('raises offset by the page size, one row less, until it reaches total_count [LISTS-PAGING-1]', async () => {
    const { list, asked } = listOf({});
    expect(await idsOf(list)).toEqual(ALL);
    expect(asked).toEqual([0, 2, 5, 8]);
  });

  it('asks no further when a page ends exactly at total_count [LISTS-PAGING-1]', async () => {
    const { list, asked } = listOf({}, 9);
    expect(await idsOf(list)).toHaveLength(9);
    expect(asked).toEqual([0, 2, 5]);
  });

  it('returns each row once when others are added at the front, the middle and the end', async () => {
    const { list } = listOf({
      1: (rows) => rows.unshift({ id: 11 }, { id: 12 }),
      2: (rows) => rows.splice(4, 0, { id: 13 }),
      3: (rows) => rows.push({ id: 14 }),
    });
    const ids = await idsOf(list);
    expect(ids).toEqual(expect.arrayContaining(ALL));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('misses no remaining row when others are removed', async () => {
    const { list } = listOf({ 1: (rows) => rows.splice(0, 2), 2: (rows) => rows.splice(0, 1), 3: (rows) => rows.splice(0, 3) });
    const ids = await idsOf(list);
    expect(ids).toEqual(expect.arrayContaining([7, 8, 9, 10]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('misses none when one is removed in front and another is added at the end', async () => {
    const replaceFirst = (rows: Row[]): void => {
      rows.shift();
      rows.push({ id: rows.length + 100 });
    };
    const { list } = listOf({ 1: replaceFirst, 3: replaceFirst });
    const ids = await idsOf(list);
    expect(ids).toEqual(expect.arrayContaining([3, 4, 5, 6, 7, 8, 9, 10]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('ends when the list has become empty', async () => {
    const { list } = listOf({ 1: (rows) => rows.splice(0) });
    expect(await idsOf(list)).toEqual([1, 2, 3]);
  });

  it('starts again each time', async () => {
    const { list } = listOf({});
    expect(await idsOf(list)).toEqual(await idsOf(list));
  });
});

describe('a list', () => {
  it('returns its rows page by page', async () => {
    const { list } = listOf({}, 4);
    const pages: number[][] = [];
    for await (const rows of list.pages()) pages.push(rows.map(({ id }) => id));
    expect(pages).toEqual([[1, 2, 3], [4]]);
  });

  it('returns all rows, or the first ones, as an array', async () => {
    const { list, asked } = listOf({});
    expect(await list.toArray()).toHaveLength(10);
    asked.length = 0;
    expect((await list.toArray({ max: 4 })).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(asked).toHaveLength(2);
  });
});

describe('a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'survey-list-'));
  afterAll(() => rm(folder, { recursive: true }));
  const idsIn = async (path: string) =>
    (await readFile(path, 'utf8')).split('\n').map((line) => line && (JSON.parse(line) as Row).id);
  const unavailable = (): never => {
    throw new Error('unavailable');
  };

  it('has a line for each row, and appears when it is complete', async () => {
    const path = join(folder, 'whole');
    const progress: unknown[] = [];
    const { list } = listOf({ 2: () => expect(existsSync(path)).toBe(false) });
    expect(await list.toFile(path, { onProgress: (at) => progress.push(at) })).toBe(10);
    expect(await idsIn(path)).toEqual([...ALL, '']);
    expect(progress).toEqual([3, 6, 9, 10].map((rows) => ({ rows, total_count: 10 })));
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  it('is continued after the rows of an interrupted call, without half a line', async () => {
    const path = join(folder, 'interrupted');
    await expect(listOf({ 3: unavailable }).list.toFile(path)).rejects.toThrow('unavailable');
    await appendFile(`${path}.part`, '{"id":7,"name":"a\u2028');
    const { list, asked } = listOf({});
    expect(await list.toFile(path)).toBe(10);
    expect(asked).toEqual([5, 8]);
    expect(await idsIn(path)).toEqual([...ALL, '']);
  });

  it('is not continued when a line of it is damaged', async () => {
    const path = join(folder, 'damaged');
    await writeFile(`${path}.part`, '{"id":1}\n\0\0\n{"id":3}\n');
    await expect(listOf({}).list.toFile(path)).rejects.toThrow(
      `cannot continue ${path}.part: line 2 is damaged. Delete the file`,
    );
    expect(await readFile(`${path}.part`, 'utf8')).toContain('{"id":3}');
  });

  it('misses no row when others were removed since the interruption', async () => {
    const path = join(folder, 'removed');
    await expect(listOf({ 3: unavailable }).list.toFile(path)).rejects.toThrow('unavailable');
    const rows: Row[] = [4, 5, 6, 7, 8].map((id) => ({ id }));
    const read = (limit: number, offset: number) =>
      Promise.resolve({ total_count: rows.length, rows: rows.slice(offset, offset + limit) });
    const list = new List({ read, readFirst: unavailable, idOf: ({ id }: Row) => id }, 3);
    expect(await list.toFile(path)).toBe(8);
    expect(await idsIn(path)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, '']);
  });

  it('is written anew for rows without an id', async () => {
    const path = join(folder, 'texts');
    const read = (limit: number, offset: number) =>
      Promise.resolve({ total_count: 4, rows: [{ id: 1 }, { id: 1 }, { id: 2 }, { id: 2 }].slice(offset, offset + limit) });
    const list = new List({ read, readFirst: unavailable }, 3);
    await writeFile(`${path}.part`, '{"id":1}\n');
    expect(await list.toFile(path)).toBe(4);
    expect(await idsIn(path)).toEqual([1, 1, 2, 2, '']);
  });
});

describe('a page size', () => {
  it.each([0, -1, 1.5, 1_001, Number.NaN])('is rejected when it is %s', (pageSize) => {
    const read = () => Promise.reject(new Error('unused'));
    expect(() => new List({ read, readFirst: read }, pageSize)).toThrow('pageSize must be an integer from 1 to 1000');
  });
});
