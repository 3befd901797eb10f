import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { startFileStack } from '../support/file-stack.ts';
import { run } from './project.ts';
import { PythonEnvironment, pythonTool } from './python.ts';

const { stack, api, operator } = await startFileStack();
const PACKAGE = fileURLToPath(new URL('../../clients/python', import.meta.url));
const PROGRAM = fileURLToPath(new URL('python/client.py', import.meta.url));
const UNASYNC = fileURLToPath(new URL('python/unasync_client.py', import.meta.url));
const FAULTS = fileURLToPath(new URL('python/faults.py', import.meta.url));

/** Passes requests on to the gateway, except for the first two of each URL. */
function unreliable(gateway: string) {
  const seen = new Map<string, number>();
  const userAgents = new Set<string>();
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { url = '', method, headers } = incoming;
    userAgents.add(String(headers['user-agent']));
    const attempt = (seen.get(`${method} ${url}`) ?? 0) + 1;
    seen.set(`${method} ${url}`, attempt);
    if (attempt === 1) outgoing.writeHead(503, { 'Retry-After': '0' }).end();
    else if (attempt === 2) outgoing.destroy();
    else
      incoming.pipe(
        request(`${gateway}${url}`, { method, headers }, (response) => {
          outgoing.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(outgoing);
        }),
      );
  };
  return { server: createServer(handle), userAgents };
}

describe.skipIf(inject('pythonMissing') !== undefined)('the packed survey-client', () => {
  const { server, userAgents } = unreliable(`http://${stack.services.gateway.address}`);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-python-'));
    const empty = await PythonEnvironment.create(join(folder, 'empty'));
    await empty.installFrom('clients/python/README.md', inject('dist'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }, 300_000);
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it('imports and exports in an empty environment, although each request fails twice', async () => {
    const { readKey, writeKey } = await operator.createAccount();
    const SURVEY_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { SURVEY_URL, SURVEY_READ_KEY: readKey, SURVEY_WRITE_KEY: writeKey };
    const { stdout } = await run(join(folder, 'empty/bin/python'), [PROGRAM], { env });
    const emails = [1, 2, 3, 4, 5].map((n) => `e${n}@x.io`);
    expect(JSON.parse(stdout)).toEqual({
      sync: {
        replayed: [false, true],
        emails,
        faults: ['/employees/0/email', '/employees/0/lastname'],
        surveys: [],
        conditional: [5, null],
        damaged: 'line 2 is damaged. Delete the file to write it anew',
        progress: [
          [4, 5],
          [5, 5],
        ],
      },
      async: {
        emails,
        first: 1,
        rejected: 401,
        unreachable: expect.stringMatching(/^cannot get a response from http:\/\/127.0.0.1:1: /),
      },
    });
    expect([...userAgents][0]).toBe('nightly survey-client-python/1.4.0');
  });

  it('names the argument, the variable or the host that is wrong, and never takes another host for an empty account', async () => {
    const { stdout } = await run(join(folder, 'empty/bin/python'), [FAULTS], { env: {} });
    const said = z
      .object({
        arguments: z.record(z.string(), z.string()),
        environment: z.record(z.string(), z.string()),
        hosts: z.record(z.string(), z.tuple([z.string(), z.number()])),
      })
      .catchall(z.unknown())
      .parse(JSON.parse(stdout));
    for (const [name, text] of Object.entries(said.arguments))
      expect(text).toMatch(
        new RegExp(
          `^((Type|Value)Error: ${name} (must be|needs) |ConfigurationError: cannot open connections: ${name} is wrong: )`,
        ),
      );
    for (const [name, text] of Object.entries(said.environment))
      expect(text).toContain(`ConfigurationError: cannot open connections: ${name} is wrong: `);
    // Two base URLs; only a response that was cut off is tried again.
    expect(said.hosts).toEqual({
      '404': [expect.stringMatching(/^NotFoundError: 404 .*check base_url/), 2],
      HTML: [expect.stringMatching(/^UnexpectedResponseError: .*it is text\/html/), 2],
      'another service': [expect.stringMatching(/^UnexpectedResponseError: .*no total_count and employees/), 2],
      'cut off': [expect.stringMatching(/^SurveyConnectionError: .*not valid JSON/), 6],
      'revoked key': ['AuthenticationError: 401 No.', 2],
      'empty account': ['nothing', 2],
    });
    expect(said['certificate']).toEqual([expect.stringMatching(/^ConfigurationError: .*own, pass the file/), 1]);
    expect(said['waiting']).toEqual([{ import_uuid: 'u', replayed: false }, 1, 'ConflictError: 409 An import is running.']);
    expect(said['asynchronous']).toEqual([
      'question_ids=1%2C2&period_from=2024-01-31T09%3A00%3A00Z&survey_ids=3&attribute_option_ids=4&participation=true',
      'survey_ids must be a list of positive integers',
    ]);
  });

  it('is typed', async () => {
    const python = ['--strict', '--python-executable', join(folder, 'empty/bin/python')];
    const { stdout } = await run(pythonTool('mypy'), [...python, join(PACKAGE, 'src'), PROGRAM, FAULTS]);
    expect(stdout).toContain('Success: no issues found');
  });

  it('has a synchronous client that is made of the asynchronous one', async () => {
    await cp(join(PACKAGE, 'src/survey_client/async_client.py'), join(folder, 'async_client.py'));
    await run(pythonTool('python'), [UNASYNC, join(folder, 'async_client.py')]);
    const made = await readFile(join(folder, 'client.py'), 'utf8');
    await expect(made).toMatchFileSnapshot(join(PACKAGE, 'src/survey_client/client.py'));
  });

  it('has the models of the OpenAPI document, and no tests', async () => {
    const { body } = await api.get('/openapi.json');
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(body));
    const output = join(folder, 'models.py');
    const kind = ['--input-file-type', 'openapi', '--output-model-type', 'typing.TypedDict', '--no-use-closed-typed-dict'];
    const names = ['--naming-strategy', 'parent-prefixed', '--use-union-operator', '--target-python-version', '3.11'];
    const texts = ['--use-schema-description', '--use-field-description', '--disable-timestamp', '--formatters', 'builtin'];
    const form = [...names, ...texts];
    await run(pythonTool('datamodel-codegen'), ['--input', join(folder, 'openapi.json'), '--output', output, ...kind, ...form]);
    await expect(await readFile(output, 'utf8')).toMatchFileSnapshot(join(PACKAGE, 'src/survey_client/models.py'));
    const installed = await readdir(join(folder, 'empty/lib/python3.11/site-packages/survey_client'));
    expect(installed).toContain('py.typed');
  });
});
