import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { datasetChunks } from '@survey/demo-data/write-dataset.ts';
import { workforce } from '@survey/demo-data/workforce.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { run } from './project.ts';
import { PythonEnvironment } from './python.ts';

const { stack, operator, importAndWait } = await startFileStack();
const CONFIG = fileURLToPath(new URL('python/schemathesis.toml', import.meta.url));
const VERSION = 'schemathesis==4.32.5';
const SIZE = { employees: 60, months: 2, seed: 5 };

describe.skipIf(inject('pythonMissing') !== undefined)('Schemathesis', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'survey-schemathesis-'));
    // An environment of its own: airbyte-cdk needs older libraries.
    const empty = await PythonEnvironment.create(join(folder, 'empty'));
    await empty.install(`pip install ${VERSION}`, folder);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  it('finds no failure with all of its checks', { timeout: 600_000 }, async () => {
    const account = await operator.createAccount();
    await importAndWait(account, [...workforce(SIZE)]);
    const surveyctl = surveyctlAt(stack);
    const of = ['--account', String(account.accountId)];
    await surveyctl(['dataset', 'load', '-', ...of], [...datasetChunks(SIZE)].join(''));
    await surveyctl(['attribute', 'release', ...of, '--name', 'Country']);
    const document = `http://${stack.services.gateway.address}/openapi.json`;
    const key = ['--header', `X-Api-Key: ${account.writeKey}`];
    const st = run(join(folder, 'empty/bin/st'), ['--config-file', CONFIG, 'run', document, ...key], {
      cwd: folder,
      maxBuffer: 2 ** 26,
    });
    const { code, stdout } = await st.then(
      ({ stdout }) => ({ code: 0, stdout }),
      (failure: { code: number; stdout: string }) => failure,
    );
    expect(code === 0 ? '' : stdout).toBe('');
    expect(stdout).toMatch(/Tested: +11\b/);
  });
});
