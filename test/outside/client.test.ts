import { readFile } from 'node:fs/promises';
import type { CodeSample } from '@survey/gateway/openapi/code-samples.ts';
import type { OpenApiDocument } from '@survey/gateway/openapi/document.ts';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { OutsideProject } from './project.ts';
import { ESBUILD, RUNTIMES } from './runtimes.ts';

const ATTW = new URL('../node_modules/.bin/attw', import.meta.url).pathname;

const { stack, api, operator } = await startFileStack();

// Imports three employees and waits until the list has them; then asks with a wrong key.
const PROGRAM = `
async function main() {
  const baseUrl = process.env.SURVEY_URL;
  const writer = new SurveyClient({ baseUrl, apiKey: process.env.SURVEY_WRITE_KEY });
  await writer.importEmployees(async function* () {
    for (const n of [1, 2, 3]) yield { import_id: 'E' + n, email: 'e' + n + '@x.io', firstname: 'F', lastname: 'L' };
  });
  const reader = new SurveyClient({ baseUrl, apiKey: process.env.SURVEY_READ_KEY });
  let employees = [];
  while (employees.length < 3) employees = await reader.employees({ pageSize: 2 }).toArray();
  const error = await new SurveyClient({ baseUrl, apiKey: 'wrong' }).employees().page().catch((error) => error);
  console.log(JSON.stringify({ emails: employees.map(({ email }) => email), rejected: error instanceof AuthenticationError }));
}
main();
`;

const ESM = `import { AuthenticationError, SurveyClient } from '@survey/client';\n${PROGRAM}`;
const COMMON_JS = `const { AuthenticationError, SurveyClient } = require('@survey/client');\n${PROGRAM}`;

const TYPED = `
import { ConflictError, SurveyClient, type CycleScore, type Employee } from '@survey/client';

const client = new SurveyClient({ baseUrl: 'http://x', apiKey: 'k', onRetry: ({ error }) => error.message });
export const employees: Promise<Employee[]> = client.employees().toArray({ max: 10 });
const cycles: Promise<CycleScore[]> = client.scores.compare([1], []);
const isConflict = (error: unknown): boolean => error instanceof ConflictError && error.status === 409;
// @ts-expect-error An employee needs an import_id.
const rejected = client.importEmployees([{ email: 'e@x.io' }]);
`;

// What samples leave to the reader, and what Node has.
const SAMPLED = `
import { SurveyClient } from '@survey/client';

declare function createReadStream(path: string): AsyncIterable<Uint8Array>;
declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
declare const console: { log(value: unknown): void };
`;

describe.skipIf(inject('missing') !== undefined)('the packed @survey/client', () => {
  let project: OutsideProject;
  beforeAll(async () => {
    project = await OutsideProject.fromDocument('clients/typescript/README.md');
    await Promise.all([project.write('program.mjs', ESM), project.write('program.cjs', COMMON_JS)]);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  const runtimes = Object.entries(RUNTIMES).flatMap(([name, command]) =>
    ['program.mjs', 'program.cjs'].map((file) => ({ name, file, command })),
  );
  it.each(runtimes)('imports and exports on $name as $file', async ({ command, file }) => {
    const { readKey, writeKey } = await operator.createAccount();
    const SURVEY_URL = `http://${stack.services.gateway.address}`;
    const env = { SURVEY_URL, SURVEY_READ_KEY: readKey, SURVEY_WRITE_KEY: writeKey };
    const [program, ...args] = command;
    const output = await project.run([program, ...args, file], env);
    expect(JSON.parse(output)).toEqual({ emails: ['e1@x.io', 'e2@x.io', 'e3@x.io'], rejected: true });
  });

  it('is bundled for a browser', async () => {
    const bundled = await project.run([ESBUILD, 'program.mjs', '--bundle', '--format=esm', '--platform=browser', '--minify']);
    expect(bundled).not.toMatch(/\brequire\(|from"node:/);
    expect(bundled.length).toBeLessThan(20_000);
  });

  // Returns what the compiler has to say.
  const compile = (file: string): Promise<string> => {
    const tsc = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname;
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', ''];
    return project.run([tsc, ...strict, file]).catch((error: unknown) => String(Reflect.get(Object(error), 'stdout')));
  };

  it('has declarations that need no other types', async () => {
    await project.write('typed.mts', TYPED);
    expect(await compile('typed.mts')).toBe('');
  });

  it('has the types that the samples of the reference use', async () => {
    const { body } = await api.get('/openapi.json');
    const { paths = {} } = body as OpenApiDocument;
    const samples = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((operation) => (Reflect.get(operation, 'x-codeSamples') ?? []) as readonly CodeSample[]),
    );
    const calls = samples.flatMap(({ lang, source }) =>
      lang === 'TypeScript' ? [`{${source.replaceAll(/^import .*$/gm, '')}\n}`] : [],
    );
    expect(calls).toHaveLength(11);
    await project.write('samples.mts', [SAMPLED, ...calls].join('\n'));
    expect(await compile('samples.mts')).toBe('');
  });

  it('passes publint and are-the-types-wrong', async () => {
    const tarball = await readFile(project.path('survey-client-1.4.0.tgz'));
    const { messages } = await publint({ pack: { tarball: new Uint8Array(tarball).buffer }, strict: true });
    expect(messages).toEqual([]);
    expect(await project.run([ATTW, 'survey-client-1.4.0.tgz', '--quiet'])).toBe('');
  });

  it('has no dependencies and no tests', async () => {
    const manifest: unknown = JSON.parse(await readFile(project.path('node_modules/@survey/client/package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(await project.run(['find', 'node_modules/@survey/client', '-name', '*.test.*'])).toBe('');
  });
});
