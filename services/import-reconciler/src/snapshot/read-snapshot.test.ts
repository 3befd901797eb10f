import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createElementHasher } from './hash.ts';
import { KnownHashes } from './known-hashes.ts';
import { SnapshotTooLarge } from './body-bytes.ts';
import { readSnapshot, type SnapshotReading, type SnapshotSummary, type UnknownEmployee } from './read-snapshot.ts';

const hasher = await createElementHasher('salt');

const R = (n: number) => ({ import_id: `E${n}`, email: `e${n}@x.io`, firstname: `F${n}`, lastname: `L${n}` });

async function* chunked(body: string | Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function read(body: string | Buffer, options: Partial<SnapshotReading> = {}): Promise<SnapshotSummary> {
  return readSnapshot(chunked(body), { encoding: 'identity', hasher, known: new KnownHashes(), ...options });
}

/** The findings of a body that holds R(1) with these changes. */
async function findingsFor(changes: Record<string, unknown>): Promise<string[]> {
  return findingsIn(JSON.stringify({ employees: [{ ...R(1), ...changes }] }));
}

async function findingsIn(body: string | Buffer): Promise<string[]> {
  const { findings, findingsTotal } = await read(body);
  expect(findingsTotal).toBe(findings.length);
  return findings.map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

describe('the wrapper', () => {
  test.each([
    ['V02', '{}', '/employees: required property is missing'],
    ['V04', '{"employees":{}}', '/employees: expected an array, got an object'],
    ['V04', '{"employees":"x"}', '/employees: expected an array, got a string'],
    ['V04', '{"employees":-5 }', '/employees: expected an array, got a number'],
    ['V04', '{"employees":null}', '/employees: expected an array, got null'],
    ['at least one', '{"employees":[ ]}', '/employees: expected at least one employee, got an empty array'],
    ['twice', `{"employees":[${JSON.stringify(R(1))}],"employees":[]}`, '/employees: property is given more than once'],
    ['empty body', '', ': the body is empty'],
    ['empty body', ' \n', ': the body is empty'],
    ['not an object', '[]', ': expected an object with the property employees, got an array'],
    ['not an object', '5', ': expected an object with the property employees, got a number'],
    ['not an object', ' "x"', ': expected an object with the property employees, got a string'],
    ['not an object', 'null', ': expected an object with the property employees, got null'],
    ['not JSON', 'employees', ': invalid JSON: unexpected character at byte offset 0'],
    ['V26', '{"employees":[', ': invalid JSON: the body ends too early, at byte offset 14'],
    ['V26', '{"employees":[{"a":"', ': invalid JSON: the body ends too early, at byte offset 20'],
    ['after the end', '{"employees":[]} x', ': invalid JSON: unexpected character after the end of the body at byte offset 17'],
    ['after the end', '{"employees":[]}{}', ': invalid JSON: unexpected character after the end of the body at byte offset 16'],
    ['comma', '{"employees":[5,]}', ': invalid JSON: unexpected character at byte offset 16'],
    ['half a byte order mark', Buffer.from([0xef, 0xbb, 0x7b]), ': invalid JSON: unexpected character at byte offset 2'],
  ])('%s: %s', async (_name, body, finding) => expect(await findingsIn(body)).toContain(finding));

  test.each(['true', 'null', '5', '-1.5e3', '"]}"', '{"a":[{}]}', '[[],"\\"]"]'])(
    'V05: dry_run %s, before and after',
    async (value) => {
      const employees = `"employees":[${JSON.stringify(R(1))}]`;
      expect(await findingsIn(`{${employees},"dry_run":${value}}`)).toEqual(['/dry_run: unknown property']);
      expect(await findingsIn(`{"dry_run" : ${value} , ${employees}}`)).toEqual(['/dry_run: unknown property']);
    },
  );

  test('V30: a byte order mark and an escaped property name are accepted', async () => {
    expect(await findingsIn(`\u{feff} {"\\u0065mployees" : [ ${JSON.stringify(R(1))} ] }\r\n`)).toEqual([]);
  });

  test('V42: an array nested 100,000 deep', async () => {
    const deep = '['.repeat(100_000);
    expect(await findingsIn(`{"employees":[{"attributes":${deep}`)).toEqual(['/employees/0: nested deeper than 32 levels']);
    expect(await findingsIn(`{"employees":${deep}`)).toEqual(['/employees/0: nested deeper than 32 levels']);
    expect(await findingsIn(`{"x":${deep}`)).toEqual(['/x: unknown property', '/x: nested deeper than 32 levels']);
  });

  test('an employee above the size limit ends the reading', async () => {
    const body = JSON.stringify({ employees: [R(1), { ...R(2), firstname: 'x'.repeat(5000) }] });
    const { findings } = await read(body, { limits: { elementBytes: 4096 } });
    expect(findings).toEqual([{ pointer: '/employees/1', detail: 'longer than 4096 bytes' }]);
  });
});

describe('an employee', () => {
  test.each([
    ['V06', { department: 'x' }, '/department: unknown property'],
    ['V07', { attributes: [{ name: 'D', value: { name: 'x', id: 1 } }] }, '/attributes/0/value/id: unknown property'],
    ['V10', { email: undefined }, '/email: required property is missing'],
    ['V10', { firstname: undefined }, '/firstname: required property is missing'],
    ['V10', { lastname: undefined }, '/lastname: required property is missing'],
    ['N10', { firstname: null }, '/firstname: expected a string, got null'],
    ['V11', { import_id: undefined }, '/import_id: required property is missing'],
    ['V12', { import_id: null }, '/import_id: expected a string, got null'],
    ['V12', { import_id: 5 }, '/import_id: expected a string, got a number'],
    ['V16', { role: 5 }, '/role: expected a string or null, got a number'],
    ['V16', { language: 5 }, '/language: expected a string or null, got a number'],
    ['V16', { reports_to_id: 5 }, '/reports_to_id: expected a string or null, got a number'],
    ['V18', { attributes: [{ name: 'D' }] }, '/attributes/0/value: required property is missing'],
    [
      'V19',
      { attributes: [{ name: 'D', value: 'Sales' }] },
      '/attributes/0/value: expected an object with the property name, or null, got a string',
    ],
    ['V19', { attributes: [{ name: 'D', value: {} }] }, '/attributes/0/value/name: required property is missing'],
    ['V21', { attributes: null }, '/attributes: expected an array, got null'],
    [
      'B25',
      { attributes: [{ name: 'Age Category', value: { name: 1990 } }] },
      '/attributes/0/value/name: expected a string, got a number',
    ],
    [
      'V23',
      { permissions: { grants: [{ attribute: { name: 'C' } }] } },
      '/permissions/grants/0/value: required property is missing',
    ],
    [
      'V23',
      { permissions: { grants: [{ attribute: { name: 'C' }, value: null }] } },
      '/permissions/grants/0/value: expected an object with the property name, got null',
    ],
    [
      'V24',
      { permissions: { grants: [{ attribute: { name: 'C', id: 1 }, value: { name: 'x' } }] } },
      '/permissions/grants/0/attribute/id: unknown property',
    ],
    ['permissions', { permissions: [] }, '/permissions: expected an object or null, got an array'],
    ['permissions', { permissions: { all_data: 'false' } }, '/permissions/all_data: expected a boolean, got a string'],
    ['V32', { lastname: 'a\0b' }, '/lastname: must not contain U+0000'],
    ['V32', { attributes: [{ name: 'D', value: { name: '\0' } }] }, '/attributes/0/value/name: must not contain U+0000'],
    ['V33', { import_id: '\u{d800}' }, '/import_id: must not contain a lone surrogate'],
    [
      'V43',
      { attributes: [{ name: '😀'.repeat(256), value: null }] },
      '/attributes/0/name: must not be longer than 255 characters',
    ],
    ['V44', { attributes: [{ name: '', value: null }] }, '/attributes/0/name: must not be blank'],
    ['V44', { attributes: [{ name: ' \u{a0}', value: null }] }, '/attributes/0/name: must not be blank'],
    ['V44', { attributes: [{ name: 'D', value: { name: '' } }] }, '/attributes/0/value/name: must not be blank'],
    ['length', { email: 'x'.repeat(321) }, '/email: must not be longer than 320 characters'],
    ['length', { reports_to_id: 'x'.repeat(256) }, '/reports_to_id: must not be longer than 255 characters'],
  ])('%s: %j', async (_id, changes, finding) => expect(await findingsFor(changes)).toEqual([`/employees/0${finding}`]));

  test.each([
    ['V09', { firstname: 'Mary_Ann' }],
    ['V13', { import_id: '' }],
    ['V14', { import_id: '   ' }],
    ['V45', { email: '' }],
    ['Z2', { language: null, reports_to_id: null, role: null, permissions: null }],
    ['N07', { attributes: [] }],
    ['G13', { permissions: {} }],
    ['V43', { attributes: [{ name: 'x'.repeat(255), value: { name: '😀'.repeat(255) } }] }],
    ['V33', { firstname: '\u{1f600}' }],
  ])('%s: %j is valid', async (_id, changes) => expect(await findingsFor(changes)).toEqual([]));

  test.each([
    [
      'V27',
      '{"import_id":"E1","import_id":"E2","email":"e","firstname":"f","lastname":"l"}',
      '/import_id: property is given more than once',
    ],
    [
      'V27',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","role":"Admin","r\\u006fle":null}',
      '/role: property is given more than once',
    ],
    [
      'V27',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","attributes":[{"name":"D","value":{"name":"a","name":"b"}}]}',
      '/attributes/0/value/name: property is given more than once',
    ],
    [
      'V28',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","__proto__":{"polluted":1}}',
      '/__proto__: unknown property',
    ],
    [
      'V28',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","permissions":{"__proto__":{}}}',
      '/permissions/__proto__: unknown property',
    ],
    ['V28', '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","constructor":1}', '/constructor: unknown property'],
    [
      'V33',
      '{"import_id":"E1","email":"e","firstname":"\\ud800","lastname":"l"}',
      '/firstname: must not contain a lone surrogate',
    ],
    ['not an object', '5', ': expected an object, got a number'],
    ['not an object', '"x"', ': expected an object, got a string'],
    ['not an object', 'null', ': expected an object, got null'],
    ['not an object', '[]', ': expected an object, got an array'],
    ['not JSON', 'nul', ': invalid JSON in the value at byte offset 14'],
    ['not JSON', '{"a":[}]}', ': invalid JSON in the value at byte offset 14'],
  ])('%s: %s', async (_id, element, finding) => {
    expect(await findingsIn(`{"employees":[${element}]}`)).toContain(`/employees/0${finding}`);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('V31: a byte FF inside a string', async () => {
    const [before, after] = JSON.stringify({ employees: [{ ...R(1), firstname: '|' }] }).split('|');
    const body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]);
    expect(await findingsIn(body)).toEqual(['/employees/0: not valid UTF-8 in the value at byte offset 14']);
    expect(await findingsFor({ firstname: '\u{fffd}' })).toEqual([]);
  });

  test('no value of the body is in any message', async () => {
    const secret = 'very-private';
    const body = JSON.stringify({
      employees: [{ import_id: [secret], email: { secret }, firstname: `${secret}\0`, role: 1 }, secret],
    });
    expect(JSON.stringify(await findingsIn(body))).not.toContain(secret);
    expect(JSON.stringify(await findingsIn(`${body.slice(0, -2)}, {"a":"${secret}}]}`))).not.toContain(secret);
  });
});

describe('all findings', () => {
  test('V25: one bad record among 10,000 is found', async () => {
    const employees = Array.from({ length: 10_000 }, (_, n) => (n === 9000 ? { ...R(n), x: 1 } : R(n)));
    const summary = await read(JSON.stringify({ employees }));
    expect(summary).toMatchObject({
      employees: 10_000,
      findings: [{ pointer: '/employees/9000/x', detail: 'unknown property' }],
    });
  });

  test('the first 100 are listed, all are counted', async () => {
    const summary = await read(JSON.stringify({ employees: Array.from({ length: 750 }, () => ({})) }));
    expect(summary).toMatchObject({ employees: 750, findingsTotal: 3000 });
    expect(summary.findings).toHaveLength(100);
    expect(summary.findings[99]?.pointer).toBe('/employees/24/lastname');
  });

  test('broken JSON ends the reading and closes the source', async () => {
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
    const { findings } = await readSnapshot(source(), { encoding: 'identity', hasher, known: new KnownHashes() });
    expect(findings).toEqual([{ pointer: '', detail: 'invalid JSON: unexpected character at byte offset 14' }]);
    expect(isClosed).toBe(true);
    expect(chunks).toBeLessThan(20);
  });

  test('an error of the source is passed on', async () => {
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('{');
      throw new Error('the caller is gone');
    }
    for (const encoding of ['identity', 'gzip'] as const)
      await expect(readSnapshot(source(), { encoding, hasher, known: new KnownHashes() })).rejects.toThrow('the caller is gone');
  });
});

describe('gzip', () => {
  const plain = JSON.stringify({ employees: [R(1), R(2)] });
  const gzip = gzipSync(plain);

  test.each([
    ['one member', gzip],
    ['two members', Buffer.concat([gzipSync(plain.slice(0, 50)), gzipSync(plain.slice(50))])],
  ])('%s is read', async (_name, body) => {
    const size = { receivedBytes: body.length, jsonBytes: plain.length };
    expect(await read(body, { encoding: 'gzip' })).toEqual({ employees: 2, findings: [], findingsTotal: 0, ...size });
  });

  test.each([
    ['plain bytes', Buffer.from(plain)],
    ['truncated', gzip.subarray(0, -3)],
    ['trailing garbage', Buffer.concat([gzip, Buffer.from('xyz')])],
    ['trailing zeros', Buffer.concat([gzip, Buffer.alloc(300_000)])],
    ['nothing', Buffer.alloc(0)],
    ['gzip of gzip', Buffer.concat([gzip.subarray(0, 30), Buffer.alloc(30, 7)])],
  ])('V35: %s', async (_name, body) => {
    const { findings } = await read(body, { encoding: 'gzip' });
    expect(findings).toEqual([{ pointer: '', detail: 'not valid gzip' }]);
  });

  test('V37: 255 KiB that inflate to 256 MiB are refused while reading', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('{"employees":['), Buffer.alloc(256 * 2 ** 20, ' ')]));
    expect(bomb.length).toBeLessThan(2 ** 19);
    const before = process.memoryUsage.rss();
    const reading = read(bomb, { encoding: 'gzip' });
    await expect(reading).rejects.toMatchObject({ name: 'SnapshotTooLarge', limit: 'inflationRatio', value: 200 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 2 ** 20);
  });

  test('the ceilings on bytes', async () => {
    const ceiling = (limits: SnapshotReading['limits'], encoding: 'gzip' | 'identity', body: string | Buffer) =>
      read(body, { encoding, ...(limits && { limits }) });
    await expect(ceiling({ compressedBytes: 50 }, 'gzip', gzip)).rejects.toThrow(SnapshotTooLarge);
    await expect(ceiling({ jsonBytes: 100 }, 'gzip', gzip)).rejects.toMatchObject({ limit: 'jsonBytes', value: 100 });
    await expect(ceiling({ jsonBytes: 100 }, 'identity', plain)).rejects.toMatchObject({ limit: 'jsonBytes' });
    expect(await ceiling({ compressedBytes: 50 }, 'identity', plain)).toMatchObject({ findingsTotal: 0 });
  });
});

describe('the applying pass', () => {
  const employees = Array.from({ length: 2500 }, (_, n) => R(n));

  test('unknown employees come in batches, in order, and reading waits for them', async () => {
    const batches: UnknownEmployee[][] = [];
    let running = 0;
    const onUnknown = async (batch: readonly UnknownEmployee[]) => {
      expect((running += 1)).toBe(1);
      await setTimeout(5);
      batches.push([...batch]);
      running -= 1;
    };
    await read(JSON.stringify({ employees }), { onUnknown });
    expect(batches.map((batch) => batch.length)).toEqual([1000, 1000, 500]);
    expect(batches.flat().map(({ index, record }) => ({ index, ...record }))).toEqual(
      employees.map((record, index) => ({ index, ...record })),
    );
  });

  test('absent and null stay apart (N14)', async () => {
    const records: unknown[] = [];
    const onUnknown = async (batch: readonly UnknownEmployee[]) => void records.push(...batch.map(({ record }) => record));
    await read(JSON.stringify({ employees: [R(1), { ...R(2), role: null }] }), { onUnknown });
    expect(records).toEqual([R(1), { ...R(2), role: null }]);
    expect(records.map((record) => Object.keys(Object(record)).includes('role'))).toEqual([false, true]);
  });

  test('what was stored is known the next time, unless its bytes changed', async () => {
    const known = new KnownHashes();
    await read(JSON.stringify({ employees }), {
      onUnknown: async (batch) => batch.forEach(({ index, hash }) => known.add(index, hash)),
    });
    const seen: number[] = [];
    const unknown: number[] = [];
    const changed = employees.with(7, { ...R(7), lastname: 'New' });
    const summary = await read(JSON.stringify({ employees: changed }), {
      known,
      onKnown: (slot, index) => seen.push(known.ordAt(slot) - index),
      onUnknown: async (batch) => void unknown.push(...batch.map(({ index }) => index)),
    });
    expect(summary).toMatchObject({ employees: 2500, findingsTotal: 0 });
    expect(seen).toEqual(Array.from({ length: 2499 }, () => 0));
    expect(unknown).toEqual([7]);
  });

  test('an error of the callback ends the reading', async () => {
    const onUnknown = () => Promise.reject(new Error('connection lost'));
    await expect(read(JSON.stringify({ employees }), { onUnknown })).rejects.toThrow('connection lost');
  });
});
