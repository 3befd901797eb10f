import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import { PARAMETERS } from '../../clients/typescript/src/query.ts';
import { PROBLEM_TYPES } from '@survey/gateway/http/problem.ts';
import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectProblem, type Answer } from '../support/api.ts';
import { airbyteSchemas, dltColumns } from '../support/airbyte-schemas.ts';
import { apiRuleset } from '../support/api-ruleset.ts';
import { clientParity } from '../support/reference/clients.ts';
import { clientTypes } from '../support/client-types.ts';
import { Conformance } from '../support/conformance.ts';
import { arrangeAttributes, arrangeEmployee, holdAccount } from '../support/employees.ts';
import { shareStack } from '../support/file-stack.ts';
import { rateLimitOf } from '../support/rate-limit.ts';
import { R } from '../support/records.ts';

// The published OpenAPI document. conformance.ts checks it against every response of all system
// tests.
const { stack, api, db, operator } = await shareStack();
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

const entries = Object.entries(document.paths ?? {}).flatMap(([path, { get, post }]) => [
  ...(get ? [{ method: 'GET', path, operation: get }] : []),
  ...(post ? [{ method: 'POST', path, operation: post }] : []),
]);

const link = z.object({ operationId: z.string(), parameters: z.record(z.string(), z.string()) });

function exampleOf(operation: Operation, status: string): unknown {
  // None of our media types is a reference.
  const [media] = Object.values<object>(operation.responses?.[status]?.content ?? {});
  return media && 'example' in media ? media.example : undefined;
}

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

  it('has no findings of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const findings = await lintFromString({ source: text, config });
    expect(findings.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }))).toEqual([]);
  });

  it('has no findings of Spectral, whose rules include valid examples, and describes every property', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset(apiRuleset);
    const findings = await linter.run(text);
    expect(findings.map(({ code, message, path }) => ({ code, message, at: path.join('/') }))).toEqual([]);
  });

  it('has an example of every response, valid against its schema', () => {
    const conformance = new Conformance(document);
    for (const { method, path, operation } of entries) {
      for (const status of Object.keys(operation.responses ?? {}).filter((each) => each !== '304')) {
        const body = exampleOf(operation, status);
        expect(body, `${method} ${path} ${status}`).toBeDefined();
        const type = status.startsWith('2') ? 'application/json' : 'application/problem+json';
        const answer = { status: Number(status) || 405, headers: new Headers({ 'content-type': type }), body };
        expect(conformance.faultsOf(method, path, answer), `${method} ${path} ${status}`).toEqual([]);
      }
    }
  });

  it('links operations to operations and parameters that exist', () => {
    const byId = new Map(entries.map(({ operation }) => [operation.operationId, operation]));
    const links = z
      .record(z.string(), link)
      .array()
      .parse(entries.map(({ operation }) => operation.responses?.['200']?.links ?? {}))
      .flatMap(Object.values<z.infer<typeof link>>);
    expect(links.length).toBeGreaterThan(0);
    for (const { operationId, parameters } of links) {
      const target = byId.get(operationId);
      const names = target === undefined ? [] : parametersOf(target).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(parameters)));
    }
  });

  it('names the key, and the scope that each endpoint needs', () => {
    expect(document.components?.securitySchemes).toMatchObject({ apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } });
    expect(document.paths?.['/v1/employees']?.get?.security).toEqual([
      { apiKey: ['read:employees'] },
      { apiKey: ['read'] },
      { apiKey: ['employees:write'] },
    ]);
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

  it('is what the types of clients/typescript were generated from', async () => {
    await expect(await clientTypes(text)).toMatchFileSnapshot('../../clients/typescript/gen/openapi.ts');
  });

  it('is what the schemas of the Airbyte source were generated from', async () => {
    const manifest = new URL('../../clients/airbyte/manifest.yaml', import.meta.url);
    const [written = ''] = (await readFile(manifest, 'utf8')).split('# Generated from');
    await expect(written + airbyteSchemas(document)).toMatchFileSnapshot(manifest.pathname);
  });

  it('is offered as a whole by both clients', async () => {
    const source = async (...paths: readonly string[]): Promise<string> =>
      (await Promise.all(paths.map((path) => readFile(new URL(`../../clients/${path}`, import.meta.url), 'utf8')))).join('\n');
    const python = ['lists.py', 'client.py'].map((file) => `python/src/survey_client/${file}`);
    const { table, gaps } = clientParity(document, {
      typescript: await source('typescript/src/client.ts', 'typescript/src/scores.ts'),
      sent: new Set(Object.keys(PARAMETERS)),
      python: await source(...python),
      dlt: await source('dlt/survey_source.py'),
      airbyte: await source('airbyte/manifest.yaml'),
    });
    expect(gaps).toEqual([]);
    const head = '<!-- Generated by `npm test -- --only system openapi -u`. Do not edit. -->\n\n# Clients and the API\n\n';
    await expect(head + table).toMatchFileSnapshot('../../docs/reference/clients.md');
  });

  it('is what the columns of the dlt source were generated from', async () => {
    await expect(dltColumns(document)).toMatchFileSnapshot('../../clients/dlt/survey_columns.py');
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
    for (const [type] of Object.values(PROBLEM_TYPES)) expect(html).toContain(`id="problem-${type}"`);
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

const IMPORTS = '/v1/employees/imports';

// Expects the error response that the document has as its example.
function expectExample(answer: Answer, path: string): void {
  const { operation } = entries.find((entry) => path === entry.path.replaceAll(/\{\w+\}/g, '1')) ?? {};
  const example = operation && exampleOf(operation, String(answer.status));
  expect(answer.body).toEqual({ ...Object(example), instance: expect.any(String) });
}

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

  it('of every GET endpoint: 400, 401, 404, 405', async () => {
    const { readKey } = await operator.createAccount();
    expectExample(await api.get('/v1/employees?nope=1', readKey), '/v1/employees');
    expectExample(await api.get('/v1/attributes/1/options', readKey), '/v1/attributes/1/options');
    const period = 'period_from=2024-02-01T00:00:00Z&period_to=2024-01-01T00:00:00Z';
    expectExample(await api.get(`/v1/scores?question_ids=1&${period}`, readKey), '/v1/scores');
    for (const operation of operations.filter((name) => name.startsWith('GET'))) {
      const path = operation.slice('GET '.length).replaceAll(/\{\w+\}/g, '1');
      expectProblem(await api.get(`${path}?nope=1`, readKey), 400);
      expectExample(await api.get(path), path);
      expectProblem(await api.send('POST', path, { 'x-api-key': readKey }), 405);
    }
  });

  it('of the import: 202, 400, 401, 403, 404, 409, 415, 422', async () => {
    const account = await operator.createAccount();
    const post = (employees: unknown, key: string | undefined, headers = {}) =>
      api.post('/v1/employees/imports', { employees }, key, headers);
    const named = { 'idempotency-key': 'k' };
    expectExample(await post([{ ...R(1), import_id: 1 }], account.writeKey), IMPORTS);
    expectExample(await post([R(1)], undefined), IMPORTS);
    expectExample(await post([R(1)], account.readKey), IMPORTS);
    expectExample(await post([R(1)], (await operator.createAccount({ connected: false })).writeKey), IMPORTS);
    expectExample(await post([R(1)], account.writeKey, { 'content-encoding': 'br' }), IMPORTS);
    await using hold = await holdAccount(db, account.accountId);
    expect(await post([R(1)], account.writeKey, named)).toMatchObject({ status: 202 });
    expectExample(await post([R(1)], account.writeKey), IMPORTS);
    expectExample(await post([R(2)], account.writeKey, named), IMPORTS);
    await hold.letGo();
  });
});

it('says which paths there are without asking for a key, outside /v1 [ERRORS-ROUTING-1]', async () => {
  for (const path of ['/openapi', '/openapi.yaml', '/Docs', '/v2/employees', '/V1/employees'])
    expect(expectProblem(await api.get(path), 404).detail).toContain('/docs');
  for (const path of ['/v1', '/v1/', '/v1/nope']) expectProblem(await api.get(path), 401);
});

it('has fields of the rate limit that a parser of structured fields reads', async () => {
  const { readKey } = await operator.createAccount();
  const { q = 0, r, w, t } = rateLimitOf(await api.get('/v1/surveys', readKey));
  expect([r, w]).toEqual([Number(q) - 1, 60]);
  expect(t).toBeLessThanOrEqual(60);
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
