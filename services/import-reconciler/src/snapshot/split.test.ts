import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findingsIn, R, read } from './reading.fixture.ts';

describe('body', () => {
  test.each([
    ['IMPORT-REQUEST-SHAPE-1', '{}', '/employees: is required'],
    ['IMPORT-REQUEST-SHAPE-1', '{"employees":{}}', '/employees: must be an array, not an object'],
    ['IMPORT-REQUEST-SHAPE-1', '{"employees":"x"}', '/employees: must be an array, not a string'],
    ['IMPORT-REQUEST-SHAPE-1', '{"employees":-5 }', '/employees: must be an array, not a number'],
    ['IMPORT-REQUEST-SHAPE-1', '{"employees":null}', '/employees: must be an array, not null'],
    ['at least one', '{"employees":[ ]}', '/employees: must have at least one employee'],
    ['twice', `{"employees":[${JSON.stringify(R(1))}],"employees":[]}`, '/employees: must appear only once'],
    ['empty body', '', ': the body is empty'],
    ['empty body', ' \n', ': the body is empty'],
    ['not an object', '[]', ': must be an object with the property employees, not an array'],
    ['not an object', '5', ': must be an object with the property employees, not a number'],
    ['not an object', ' "x"', ': must be an object with the property employees, not a string'],
    ['not an object', 'null', ': must be an object with the property employees, not null'],
    ['not JSON', 'employees', ': invalid JSON: unexpected character at byte offset 0'],
    ['IMPORT-REQUEST-JSON-1', '{"employees":[', ': invalid JSON: the body ends too early, at byte offset 14'],
    ['IMPORT-REQUEST-JSON-1', '{"employees":[{"a":"', ': invalid JSON: the body ends too early, at byte offset 20'],
    ['after the end', '{"employees":[]} x', ': invalid JSON: unexpected character after the end of the body at byte offset 17'],
    ['after the end', '{"employees":[]}{}', ': invalid JSON: unexpected character after the end of the body at byte offset 16'],
    ['after the end', '{"employees":[]}}', ': invalid JSON: unexpected character after the end of the body at byte offset 16'],
    ['comma', '{"employees":[5,]}', ': invalid JSON: unexpected character at byte offset 16'],
    ['gzip without its header', gzipSync('{}'), ': must be sent with Content-Encoding: gzip when it is gzip'],
    ['UTF-16 with its mark', Buffer.from('\u{feff}{}', 'utf16le'), ': must be UTF-8, not UTF-16'],
    ['UTF-16, big end first', Buffer.from([0xfe, 0xff, 0, 0x7b]), ': must be UTF-8, not UTF-16'],
    ['UTF-16 without its mark', Buffer.from('{}', 'utf16le'), ': must be UTF-8, not UTF-16'],
    ['half a byte order mark', Buffer.from([0xef, 0xbb, 0x7b]), ': invalid JSON: unexpected character at byte offset 2'],
  ])('is rejected for %s: %s', async (_name, body, finding) => expect(await findingsIn(body)).toContain(finding));

  test.each(['true', 'null', '5', '-1.5e3', '"]}"', '{"a":[{}]}', '[[],"\\"]"]'])(
    'is rejected with dry_run %s before or after the employees [IMPORT-REQUEST-SHAPE-1]',
    async (value) => {
      const employees = `"employees":[${JSON.stringify(R(1))}]`;
      expect(await findingsIn(`{${employees},"dry_run":${value}}`)).toEqual(['/dry_run: unknown property']);
      expect(await findingsIn(`{"dry_run" : ${value} , ${employees}}`)).toEqual(['/dry_run: unknown property']);
    },
  );

  test('is accepted with a byte order mark and an escaped property name [IMPORT-REQUEST-JSON-1]', async () => {
    expect(await findingsIn(`\u{feff} {"\\u0065mployees" : [ ${JSON.stringify(R(1))} ] }\r\n`)).toEqual([]);
  });

  test('is rejected with an array nested 100,000 levels deep [IMPORT-REQUEST-JSON-3]', async () => {
    const deep = '['.repeat(100_000);
    expect(await findingsIn(`{"employees":[{"attributes":${deep}`)).toEqual(['/employees/0: nested deeper than 32 levels']);
    expect(await findingsIn(`{"employees":${deep}`)).toEqual(['/employees/0: nested deeper than 32 levels']);
    expect(await findingsIn(`{"x":${deep}`)).toEqual(['/x: unknown property', '/x: nested deeper than 32 levels']);
  });

  test('is read only up to an employee above the size limit', async () => {
    const body = JSON.stringify({ employees: [R(1), { ...R(2), firstname: 'x'.repeat(5000) }] });
    const { findings } = await read(body, { limits: { elementBytes: 4096 } });
    expect(findings).toEqual([{ pointer: '/employees/1', detail: 'longer than 4096 bytes' }]);
  });
});
