import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { findingsFor, findingsIn, R } from './reading.fixture.ts';

describe('employee', () => {
  test.each([
    ['IMPORT-REQUEST-SHAPE-2', { department: 'x' }, '/department: unknown property'],
    [
      'IMPORT-REQUEST-SHAPE-2',
      { attributes: [{ name: 'D', value: { name: 'x', id: 1 } }] },
      '/attributes/0/value/id: unknown property',
    ],
    ['IMPORT-REQUEST-SHAPE-3', { email: undefined }, '/email: is required'],
    ['IMPORT-REQUEST-SHAPE-3', { firstname: undefined }, '/firstname: is required'],
    ['IMPORT-REQUEST-SHAPE-3', { lastname: undefined }, '/lastname: is required'],
    ['IMPORT-REQUEST-SHAPE-3', { firstname: null }, '/firstname: must be a string, not null'],
    ['IMPORT-REQUEST-SHAPE-3', { import_id: undefined }, '/import_id: is required'],
    ['IMPORT-REQUEST-SHAPE-3', { import_id: null }, '/import_id: must be a string, not null'],
    ['IMPORT-REQUEST-SHAPE-3', { import_id: 5 }, '/import_id: must be a string, not a number'],
    ['IMPORT-REQUEST-SHAPE-3', { role: 5 }, '/role: must be a string or null, not a number'],
    ['IMPORT-REQUEST-SHAPE-3', { language: 5 }, '/language: must be a string or null, not a number'],
    ['IMPORT-REQUEST-SHAPE-3', { reports_to_id: 5 }, '/reports_to_id: must be a string or null, not a number'],
    ['IMPORT-REQUEST-SHAPE-3', { attributes: [{ name: 'D' }] }, '/attributes/0/value: is required'],
    [
      'IMPORT-REQUEST-SHAPE-3',
      { attributes: [{ name: 'D', value: 'Sales' }] },
      '/attributes/0/value: must be an object with the property name, or null, not a string',
    ],
    ['IMPORT-REQUEST-SHAPE-3', { attributes: [{ name: 'D', value: {} }] }, '/attributes/0/value/name: is required'],
    ['IMPORT-REQUEST-SHAPE-4', { attributes: null }, '/attributes: must be an array, not null'],
    [
      'IMPORT-REQUEST-SHAPE-3',
      { attributes: [{ name: 'Age Category', value: { name: 1990 } }] },
      '/attributes/0/value/name: must be a string, not a number',
    ],
    [
      'IMPORT-REQUEST-SHAPE-3',
      { permissions: { grants: [{ attribute: { name: 'C' } }] } },
      '/permissions/grants/0/value: is required',
    ],
    [
      'IMPORT-REQUEST-SHAPE-3',
      { permissions: { grants: [{ attribute: { name: 'C' }, value: null }] } },
      '/permissions/grants/0/value: must be an object with the property name, not null',
    ],
    [
      'IMPORT-REQUEST-SHAPE-2',
      { permissions: { grants: [{ attribute: { name: 'C', id: 1 }, value: { name: 'x' } }] } },
      '/permissions/grants/0/attribute/id: unknown property',
    ],
    ['permissions', { permissions: [] }, '/permissions: must be an object or null, not an array'],
    ['permissions', { permissions: { all_data: 'false' } }, '/permissions/all_data: must be a boolean, not a string'],
    ['IMPORT-REQUEST-JSON-1', { lastname: 'a\0b' }, '/lastname: must not contain U+0000'],
    [
      'IMPORT-REQUEST-JSON-1',
      { attributes: [{ name: 'D', value: { name: '\0' } }] },
      '/attributes/0/value/name: must not contain U+0000',
    ],
    ['IMPORT-REQUEST-JSON-1', { import_id: '\u{d800}' }, '/import_id: must not contain a lone surrogate'],
    [
      'IMPORT-REQUEST-TEXTS-1',
      { attributes: [{ name: '😀'.repeat(256), value: null }] },
      '/attributes/0/name: must not be longer than 255 characters',
    ],
    ['IMPORT-REQUEST-TEXTS-1', { attributes: [{ name: '', value: null }] }, '/attributes/0/name: must not be blank'],
    ['IMPORT-REQUEST-TEXTS-2', { attributes: [{ name: ' \u{a0}', value: null }] }, '/attributes/0/name: must not be blank'],
    [
      'IMPORT-REQUEST-TEXTS-2',
      { attributes: [{ name: '\u{200b}\u{85}', value: null }] },
      '/attributes/0/name: must not be blank',
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      { attributes: [{ name: 'D', value: { name: '' } }] },
      '/attributes/0/value/name: must not be blank',
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      { attributes: [{ name: 'Seniority level', value: { name: '' } }] },
      '/attributes/0/value/name: must not be blank',
    ],
    [
      'IMPORT-REQUEST-TEXTS-1',
      { permissions: { grants: [{ attribute: { name: 'Seniority' }, value: { name: '' } }] } },
      '/permissions/grants/0/value/name: must not be blank',
    ],
    ['length', { email: 'x'.repeat(321) }, '/email: must not be longer than 320 characters'],
    ['length', { import_id: 'x'.repeat(256) }, '/import_id: must not be longer than 255 characters'],
  ])('is rejected under %s: %j', async (_id, changes, finding) =>
    expect(await findingsFor(changes)).toEqual([`/employees/0${finding}`]),
  );

  test.each([
    ['IMPORT-REQUEST-SHAPE-5', { firstname: 'Mary_Ann' }],
    ['IMPORT-LIFECYCLE-CANCEL-1', { import_id: '' }],
    ['IMPORT-LIFECYCLE-CANCEL-1', { import_id: '   ' }],
    ['IMPORT-EMAILS-8', { email: '' }],
    ['IMPORT-VALUES-4', { language: null, reports_to_id: null, role: null, permissions: null }],
    [
      'IMPORT-GRANTS-ROLE-1, IMPORT-VALUES-5, IMPORT-SUPERVISORS-2',
      { role: 'x'.repeat(256), language: 'x'.repeat(256), reports_to_id: 'x'.repeat(256) },
    ],
    ['IMPORT-ATTRIBUTES-YEARS-3', { attributes: [{ name: ' age CATEGORY', value: { name: ' ' } }] }],
    ['IMPORT-ATTRIBUTES-YEARS-3', { attributes: [{ name: 'Seniority', value: { name: '1'.repeat(256) } }] }],
    ['IMPORT-VALUES-3', { attributes: [] }],
    ['IMPORT-GRANTS-PERMISSIONS-1', { permissions: {} }],
    ['IMPORT-REQUEST-TEXTS-1', { attributes: [{ name: 'x'.repeat(255), value: { name: '😀'.repeat(255) } }] }],
    ['IMPORT-REQUEST-JSON-1', { firstname: '\u{1f600}' }],
  ])('is valid with $1 [$0]', async (_id, changes) => expect(await findingsFor(changes)).toEqual([]));

  test.each([
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","import_id":"E2","email":"e","firstname":"f","lastname":"l"}',
      '/import_id: must appear only once',
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","role":"Admin","r\\u006fle":null}',
      '/role: must appear only once',
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","attributes":[{"name":"D","value":{"name":"a","name":"b"}}]}',
      '/attributes/0/value/name: must appear only once',
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","__proto__":{"polluted":1}}',
      '/__proto__: unknown property',
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","permissions":{"__proto__":{}}}',
      '/permissions/__proto__: unknown property',
    ],
    [
      'IMPORT-REQUEST-JSON-2',
      '{"import_id":"E1","email":"e","firstname":"f","lastname":"l","constructor":1}',
      '/constructor: unknown property',
    ],
    [
      'IMPORT-REQUEST-JSON-1',
      '{"import_id":"E1","email":"e","firstname":"\\ud800","lastname":"l"}',
      '/firstname: must not contain a lone surrogate',
    ],
    ['not an object', '5', ': must be an object, not a number'],
    ['not an object', '"x"', ': must be an object, not a string'],
    ['not an object', 'null', ': must be an object, not null'],
    ['not an object', '[]', ': must be an object, not an array'],
    ['not JSON', 'nul', ': invalid JSON in the value at byte offset 14'],
    ['not JSON', '{"a":[}]}', ': invalid JSON in the value at byte offset 14'],
  ])('is rejected under %s: %s', async (_id, element, finding) => {
    expect(await findingsIn(`{"employees":[${element}]}`)).toContain(`/employees/0${finding}`);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('is rejected with a byte FF in a string [IMPORT-REQUEST-JSON-1]', async () => {
    const [before, after] = JSON.stringify({ employees: [{ ...R(1), firstname: '|' }] }).split('|');
    const body = Buffer.concat([Buffer.from(before ?? ''), Buffer.from([0xff]), Buffer.from(after ?? '')]);
    expect(await findingsIn(body)).toEqual(['/employees/0: not valid UTF-8 in the value at byte offset 14']);
    expect(await findingsFor({ firstname: '\u{fffd}' })).toEqual([]);
  });

  test('is rejected without any value of the body in a message', async () => {
    const secret = 'very-private';
    const body = JSON.stringify({
      employees: [{ import_id: [secret], email: { secret }, firstname: `${secret}\0`, role: 1 }, secret],
    });
    expect(JSON.stringify(await findingsIn(body))).not.toContain(secret);
    expect(JSON.stringify(await findingsIn(`${body.slice(0, -2)}, {"a":"${secret}}]}`))).not.toContain(secret);
  });
});

describe('the largest record, within the heap of the chart', () => {
  const FAULTS_COUNTED = 10_000;
  const TOO_MANY = { fieldErrorsTotal: 1, findings: [{ detail: 'more than 1250000 keys, objects and lists' }] };
  const TOO_MANY_NAMES = { fieldErrorsTotal: 1, findings: [{ detail: 'more than 10000 different names of properties' }] };
  const LARGEST = 8 * 2 ** 20 - 200;
  const filled = (item: string): string => item.repeat(Math.floor(LARGEST / item.length)).slice(0, -1);
  const distinct = (item: (nth: number) => string): string => Array.from({ length: 300_000 }, (_, nth) => item(nth)).join();

  test.each<[string, string, object]>([
    ['numbers as attributes', `"attributes":[${filled('0,')}]`, { fieldErrorsTotal: FAULTS_COUNTED }],
    ['numbers as grants', `"permissions":{"grants":[${filled('0,')}]}`, { fieldErrorsTotal: FAULTS_COUNTED }],
    ['empty attributes', `"attributes":[${filled('{},')}]`, TOO_MANY],
    ['two million keys', filled('"a":0,'), TOO_MANY],
    ['a key a million times', `${'"a":0,'.repeat(1_000_000)}"b":0`, { fieldErrorsTotal: 999_999 }],
    ['keys that all differ', distinct((nth) => `"${nth.toString(36)}":0`), TOO_MANY_NAMES],
    ['keys that differ, in many objects', distinct((nth) => `"":{"${nth.toString(36)}":0}`), TOO_MANY_NAMES],
    ['keys that differ, as far as allowed', distinct((nth) => `"a\\"${nth % 9_990} " :0`), { fieldErrorsTotal: 290_010 }],
    ['a text', `"lastname2":"${'é'.repeat(LARGEST / 2)}"`, { fieldErrorsTotal: 2 }],
  ])('is checked when it is %s', { timeout: 60_000 }, async (_shape, properties, expected) => {
    const summary = await readInSmallHeap(`{"employees":[${JSON.stringify(R(1)).slice(0, -1)},${properties}}]}`);
    expect(summary).toMatchObject(expected);
  });

  test('has the places of its faults, in long lists too', async () => {
    const attributes = Array.from({ length: 2_500 }, (_, nth) => ({ name: `${nth}`, value: nth % 1_200 === 7 ? 1 : null }));
    const grants = Array.from({ length: 1_001 }, () => ({ attribute: { name: 'a' }, value: { name: 'b' } })).fill(
      Object(0),
      1_000,
    );
    const found = await findingsFor({ attributes, permissions: { grants }, x: 1 });
    expect(found.map((finding) => finding.split(':')[0])).toEqual([
      '/employees/0/x',
      ...[7, 1_207, 2_407].map((nth) => `/employees/0/attributes/${nth}/value`),
      '/employees/0/permissions/grants/1000',
    ]);
  });
});

async function readInSmallHeap(body: string): Promise<unknown> {
  const resourceLimits = { maxOldGenerationSizeMb: 256 };
  const worker = new Worker(new URL('read-in-worker.fixture.ts', import.meta.url), { workerData: body, resourceLimits });
  const [summary] = await once(worker, 'message');
  return summary;
}
