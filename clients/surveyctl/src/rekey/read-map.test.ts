import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { joinLine, readMap, splitLine } from './read-map.ts';

async function read(text: string | Buffer) {
  const file = join(await mkdtemp(join(tmpdir(), 'map-')), 'map.csv');
  await writeFile(file, text);
  return readMap(file);
}

it.each([
  ['commas', 'old_import_id,new_import_id\n007,E-7\n'],
  ['semicolons, a byte order mark and Windows line ends', '\u{FEFF}Old_import_id;New_import_id\r\n007;E-7\r\n'],
  ['tabs, quoted values and the columns the other way round', 'new_import_id\told_import_id\n"E-7"\t"007"\n'],
])('reads a map with %s', async (_, text) => {
  expect(await read(text)).toEqual({ isByEmail: false, rows: [{ line: 2, key: '007', new_import_id: 'E-7' }] });
});

it('reads a map by e-mail address, and the map that undoes another', async () => {
  expect(await read('email,new_import_id\na@x.io,7\n')).toMatchObject({ isByEmail: true, rows: [{ key: 'a@x.io' }] });
  expect(await read('old_import_id,new_import_id,employee_id,created_via\n7,,12,file\n')).toMatchObject({
    rows: [{ key: '7', new_import_id: '', employee_id: 12, created_via: 'file' }],
  });
});

it('keeps white space, quotation marks and delimiters in quoted values', async () => {
  expect(await read('old_import_id,new_import_id\n" a, ""b""",c\n')).toMatchObject({
    rows: [{ key: ' a, "b"', new_import_id: 'c' }],
  });
});

it('names all lines that cannot be read, in a message of bounded length', async () => {
  const lines = Array.from({ length: 150 }, () => '1,2,3').join('\n');
  await expect(read(`old_import_id,new_import_id\n1,2\n"1,2\n${lines}\n`)).rejects.toThrow(
    /line 3 has a quotation mark[^]*line 4 has 3 values instead of 2[^]*and 51 more lines$/,
  );
  await expect(read(Buffer.from('old_import_id,new_import_id\n\xfc,2\n', 'latin1'))).rejects.toThrow('line 2 is not UTF-8');
});

it('rejects a file without the names of the columns', async () => {
  await expect(read('1,2\n3,4\n')).rejects.toThrow('its first line must be old_import_id,new_import_id or email,new_import_id');
  await expect(read('')).rejects.toThrow('is not a map');
});

it('writes lines that it reads again', () => {
  const values = ['a', 'b,c', '"', ' d ', ''];
  expect(splitLine(joinLine(values), ',')).toEqual(values);
});
