import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { asyncApiIncompatibilities, commandIncompatibilities, openApiIncompatibilities } from './incompatibilities.ts';

const read = async (name: string): Promise<string> =>
  readFile(new URL(`../../docs/released/${name}.json`, import.meta.url), 'utf8');
const openapi = JSON.parse(await read('openapi'));

/** Returns the released document with one change. */
function changed(change: (document: typeof openapi) => void): unknown {
  const document = structuredClone(openapi);
  change(document);
  return document;
}

const surveys = (document: typeof openapi) => document.paths['/v1/surveys'].get;
const record = (document: typeof openapi) => document.components.schemas.Survey.properties;
const limitOf = (operation: typeof openapi) => operation.parameters.find(({ name }: { name: string }) => name === 'limit');

it.each<[string, (document: typeof openapi) => void, string]>([
  ['a removed path', ({ paths }) => delete paths['/v1/surveys'], 'GET /v1/surveys is removed'],
  [
    'a removed parameter',
    (document) =>
      (surveys(document).parameters = surveys(document).parameters.filter(
        ({ name }: { name: string }) => name !== 'is_archived',
      )),
    'GET /v1/surveys: the parameter query is_archived is removed',
  ],
  ['a removed field', (document) => delete record(document).name, 'GET /v1/surveys: 200.surveys[].name is removed'],
  [
    'a removed enum value',
    (document) => (limitOf(surveys(document)).schema.enum = [100, 1000]),
    'GET /v1/surveys: query limit accepts only 100, 1000 now',
  ],
  [
    'a narrowed parameter',
    (document) => (limitOf(surveys(document)).schema.maximum = 500),
    'GET /v1/surveys: query limit has the maximum 500, had 1000',
  ],
  [
    'a parameter with a pattern',
    (document) => (limitOf(surveys(document)).schema.pattern = '^[1-9]'),
    'GET /v1/surveys: query limit has a pattern',
  ],
  [
    'a type that is another one',
    (document) => (record(document).id.type = 'string'),
    'GET /v1/surveys: 200.surveys[].id is string, was integer',
  ],
  [
    'a parameter that is newly required',
    (document) => (limitOf(surveys(document)).required = true),
    'GET /v1/surveys: the parameter query limit is newly required',
  ],
  [
    'a request field that is newly required',
    (document) =>
      document.paths['/v1/employees/imports'].post.requestBody.content['application/json'].schema.required.push('source'),
    'POST /v1/employees/imports: body.source is newly required',
  ],
  [
    'a response that is gone',
    (document) => delete surveys(document).responses['200'],
    'GET /v1/surveys: the response 200 is removed',
  ],
])('names %s', (_name, change, fault) => {
  expect(openApiIncompatibilities(openapi, changed(change))).toContain(fault);
});

it('finds nothing in what a minor release may add', () => {
  const grown = changed((document) => {
    document.paths['/v1/new'] = document.paths['/v1/surveys'];
    surveys(document).parameters.push({ in: 'query', name: 'more', schema: { type: 'string' } });
    record(document).more = { type: 'string' };
  });
  expect(openApiIncompatibilities(openapi, grown)).toEqual([]);
});

it('names a removed channel, message and field of the events', async () => {
  const released = JSON.parse(await read('asyncapi'));
  expect(asyncApiIncompatibilities(released, released)).toEqual([]);
  expect(asyncApiIncompatibilities(released, { ...released, channels: {} })).toContain(
    'the channel events.import.applied is removed',
  );
});

it('names a removed command and option of surveyctl, and one that is newly required', async () => {
  const released = JSON.parse(await read('surveyctl'));
  expect(commandIncompatibilities(released, released)).toEqual([]);
  const { 'key create': create, ...rest } = released;
  expect(commandIncompatibilities(released, rest)).toEqual(['surveyctl key create is removed']);
  const without = { ...released, 'key create': { ...create, options: {} } };
  expect(commandIncompatibilities(released, without)).toContain('surveyctl key create: --account is removed');
  const more = { required: true, takesValue: true };
  const required = { ...released, 'key create': { ...create, options: { ...create.options, '--more': more } } };
  expect(commandIncompatibilities(released, required)).toEqual(['surveyctl key create: --more is newly required']);
});
