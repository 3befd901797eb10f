import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';
import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { airbyteSchemas } from '../support/airbyte-schemas.ts';
import { clientTypes } from '../support/client-types.ts';
import { arrangeAttributes, arrangeEmployee, holdAccount } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';

// The published OpenAPI document. conformance.ts checks it against every response of all system
// tests.
const { stack, api, db, operator } = await startFileStack();
const { body } = await api.get('/openapi.json');
const document = body as OpenApiDocument;
const text = JSON.stringify(document);

const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

// Endpoints (docs/rules/errors.md).
const CONTRACT = [
  'GET /v1/attributes',
  'GET /v1/attributes/{attribute_id}/options',
  'GET /v1/employees',
  'GET /v1/initiatives',
  'GET /v1/questions',
  'GET /v1/scores',
  'GET /v1/survey_assignments',
  'GET /v1/survey_cycles',
  'GET /v1/surveys',
  'GET /v1/text_responses',
  'POST /v1/employees/imports',
];

type Operation = NonNullable<NonNullable<OpenApiDocument['paths']>[string]['get']>;
type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;
// None of our identifiers is a reference.
const parametersOf = ({ parameters = [] }: Operation) => parameters as Parameter[];

describe('/openapi.json', () => {
  it('is served without a key, and compressed for those who take it', async () => {
    const plain = await api.get('/openapi.json', undefined, { 'accept-encoding': 'identity' });
    const compressed = await api.get('/openapi.json', undefined, { 'accept-encoding': 'gzip' });
    expect(plain.headers.get('content-type')).toBe('application/json');
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(plain).toMatchObject({ status: 200, body: { openapi: '3.1.1', info: { version: '1.4.0' } } });
    expect(compressed.body).toEqual(plain.body);
  });

  it('describes the endpoints of the contract, and nothing else', () => {
    expect(operations.toSorted()).toEqual(CONTRACT);
  });

  it('has no findings of the linter', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const findings = await lintFromString({ source: text, config });
    expect(findings.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }))).toEqual([]);
  });

  it('describes every parameter in words', () => {
    expect(text).not.toContain('"description":""');
    const parameters = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods).flatMap(parametersOf));
    expect(parameters.length).toBeGreaterThan(0);
    for (const parameter of parameters) expect(parameter).toMatchObject({ description: expect.stringMatching(/\w/) });
  });

  it('names the key, and the scope that each endpoint needs', () => {
    expect(document.components?.securitySchemes).toMatchObject({ apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } });
    expect(document.paths?.['/v1/employees']?.get?.security).toEqual([{ apiKey: ['read'] }]);
    expect(document.paths?.['/v1/employees/imports']?.post?.security).toEqual([{ apiKey: ['employees:write'] }]);
  });

  it('tells the range and the default of limit and offset on every list', () => {
    const lists = Object.values(document.paths ?? {}).flatMap(({ get }) => (get?.operationId?.startsWith('list') ? [get] : []));
    expect(lists.length).toBeGreaterThan(0);
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 1000, default: 100 } };
    const offset = { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 } };
    for (const list of lists)
      expect(parametersOf(list).filter(({ name }) => name === 'limit' || name === 'offset')).toMatchObject([limit, offset]);
  });

  it('is what the types of packages/client were generated from', async () => {
    await expect(await clientTypes(text)).toMatchFileSnapshot('../../packages/client/gen/openapi.ts');
  });

  it('is what the schemas of the Airbyte source were generated from', async () => {
    const manifest = new URL('../../connectors/airbyte/manifest.yaml', import.meta.url);
    const [written = ''] = (await readFile(manifest, 'utf8')).split('# Generated from');
    await expect(written + airbyteSchemas(document)).toMatchFileSnapshot(manifest.pathname);
  });
});

describe('/docs', () => {
  it('is served without a key, names every endpoint and schema, and loads nothing else', async () => {
    const page = await api.get('/docs');
    const html = String(page.body);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const operation of operations) expect(html).toContain(operation);
    for (const name of Object.keys(document.components?.schemas ?? {})) expect(html).toContain(`id="schema-${name}"`);
    expect(html).not.toMatch(/<script src|<link|<img|@import|url\(/);
    // Each link within the page has a target.
    for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) expect(html).toContain(`id="${id}"`);
  });

  it('allows its own style, script and server, and nothing else', async () => {
    const { headers, body } = await api.get('/docs');
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(String(body)) ?? [];
    const [, script = ''] = /<script>([^]*)<\/script>/.exec(String(body)) ?? [];
    const [styleHash, scriptHash] = [style, script].map((text) => createHash('sha256').update(text).digest('base64'));
    const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'sha256-${scriptHash}'; connect-src 'self'; `;
    expect(headers.get('content-security-policy')).toContain(policy);
  });
});

describe('the answers that the document describes', () => {
  it('of an employee with everything', async () => {
    const { accountId, readKey } = await operator.createAccount();
    const optionIds = await arrangeAttributes(db, accountId, { Country: ['DE', 'FR'] });
    await arrangeEmployee(db, accountId, {
      email: 'a@x.io',
      firstname: 'A',
      lastname: 'B',
      role: 'Coach',
      importId: 'F1',
      optionIds,
    });
    await arrangeEmployee(db, accountId, { email: 'b@x.io', isDeleted: true });
    expect(await api.get('/v1/employees', readKey)).toMatchObject({ status: 200, body: { total_count: 2 } });
  });

  it('of every GET endpoint: 400, 401, 405', async () => {
    const { readKey } = await operator.createAccount();
    for (const operation of operations.filter((name) => name.startsWith('GET'))) {
      const path = operation.slice('GET '.length).replaceAll(/\{\w+\}/g, '1');
      expectProblem(await api.get(`${path}?nope=1`, readKey), 400);
      expectProblem(await api.get(path), 401);
      expectProblem(await api.send('POST', path, { 'x-api-key': readKey }), 405);
    }
  });

  it('of the import: 202, 400, 401, 403, 404, 409, 415, 422', async () => {
    const account = await operator.createAccount();
    const post = (employees: unknown, key: string | undefined, headers = {}) =>
      api.post('/v1/employees/imports', { employees }, key, headers);
    const named = { 'idempotency-key': 'k' };
    expectProblem(await post([{ import_id: 1 }, null], account.writeKey), 400);
    expectProblem(await post([R(1)], undefined), 401);
    expectProblem(await post([R(1)], account.readKey), 403);
    expectProblem(await post([R(1)], (await operator.createAccount({ connected: false })).writeKey), 404);
    expectProblem(await post([R(1)], account.writeKey, { 'content-encoding': 'br' }), 415);
    await using hold = await holdAccount(db, account.accountId);
    expect(await post([R(1)], account.writeKey, named)).toMatchObject({ status: 202 });
    expectProblem(await post([R(1)], account.writeKey), 409);
    expectProblem(await post([R(2)], account.writeKey, named), 422);
    await hold.letGo();
  });
});

it('requires a key for paths beside them', async () => {
  for (const path of ['/openapi', '/openapi.yaml', '/Docs']) expectProblem(await api.get(path), 401);
});

it('redirects a browser from / to the reference and has an icon for it', async () => {
  for (const path of ['/', '/docs/']) {
    const response = await fetch(`http://${stack.services.gateway.address}${path}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/docs']);
  }
  expect((await api.get('/favicon.ico')).headers.get('content-type')).toBe('image/svg+xml');
});

it('405 for writing to them', async () => {
  for (const path of ['/docs', '/openapi.json'])
    expect(expectProblem(await api.send('POST', path, {}), 405).detail).toContain('GET');
});
