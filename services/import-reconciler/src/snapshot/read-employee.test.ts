import { describe, expect, test } from 'vitest';
import { findingsFor, findingsIn, R } from './reading.fixture.ts';

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
    ['V44', { attributes: [{ name: 'Seniority level', value: { name: '' } }] }, '/attributes/0/value/name: must not be blank'],
    [
      'V44',
      { permissions: { grants: [{ attribute: { name: 'Seniority' }, value: { name: '' } }] } },
      '/permissions/grants/0/value/name: must not be blank',
    ],
    ['length', { email: 'x'.repeat(321) }, '/email: must not be longer than 320 characters'],
    ['length', { import_id: 'x'.repeat(256) }, '/import_id: must not be longer than 255 characters'],
  ])('%s: %j', async (_id, changes, finding) => expect(await findingsFor(changes)).toEqual([`/employees/0${finding}`]));

  test.each([
    ['V09', { firstname: 'Mary_Ann' }],
    ['V13', { import_id: '' }],
    ['V14', { import_id: '   ' }],
    ['V45', { email: '' }],
    ['Z2', { language: null, reports_to_id: null, role: null, permissions: null }],
    ['G02 N13 U02', { role: 'x'.repeat(256), language: 'x'.repeat(256), reports_to_id: 'x'.repeat(256) }],
    ['rule 10', { attributes: [{ name: ' age CATEGORY', value: { name: ' ' } }] }],
    ['rule 10', { attributes: [{ name: 'Seniority', value: { name: '1'.repeat(256) } }] }],
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
