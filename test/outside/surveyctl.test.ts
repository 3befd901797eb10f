import { chmod, copyFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { OutsideProject, shellBlocks } from './project.ts';
import { RUNTIMES } from './runtimes.ts';

const { stack, api, operator, listEmployees } = await startFileStack();

describe.skipIf(inject('missing') !== undefined)('the packed @survey/surveyctl', () => {
  let project: OutsideProject;
  beforeAll(async () => {
    project = await OutsideProject.fromDocument('clients/surveyctl/README.md');
  }, 300_000);
  afterAll(() => project[Symbol.asyncDispose]());

  const surveyctl = (...args: string[]): Promise<string> =>
    project.run([RUNTIMES['Node 24'][0], join('bin', 'surveyctl'), ...args]);

  it('prints its version', async () => {
    expect(await surveyctl('--version')).toBe('0.1.0\n');
  });

  it.each(['bash', 'zsh', 'fish'])('prints a completion script for %s', async (shell) => {
    expect(await surveyctl('completion', shell)).toContain('surveyctl complete --');
  });

  it('completes commands and the choices of options', async () => {
    expect(await surveyctl('complete', '--', 'account', 'cr')).toMatch(/^create\t/);
    expect(await surveyctl('complete', '--', 'key', 'create', '--scope', '')).toContain('employees:write');
  });

  it('names no command of the repository when it has no address', async () => {
    await expect(surveyctl('account', 'list')).rejects.toThrow('surveyctl context add');
  });

  it('creates an account with keys that work, at the address of its context', async () => {
    await surveyctl('context', 'add', 'wrong', '--admin-address', '127.0.0.1:1');
    await surveyctl('context', 'add', 'right', '--admin-address', stack.services['account-admin'].address);
    await expect(surveyctl('account', 'list')).rejects.toThrow('account-admin does not respond at 127.0.0.1:1');
    await surveyctl('context', 'use', 'right');
    expect(JSON.parse(await surveyctl('context', 'list', '--json'))).toMatchObject({ current: 'right' });
    const created = await surveyctl('account', 'create', '--name', 'ACME', '--with-keys', '--connect', '--json');
    const { read_key, write_key } = JSON.parse(created) as { read_key: string; write_key: string };
    expect(await api.get('/v1/employees', read_key)).toMatchObject({ status: 200 });
    expect(await api.post('/v1/employees/imports', { employees: [R(1)] }, write_key)).toMatchObject({ status: 202 });
    await expect(surveyctl('--context', 'wrong', 'account', 'list')).rejects.toThrow('127.0.0.1:1');
  });

  it('runs in the toolbox as a plugin of kubectl', async () => {
    const plugin = new URL('../../clients/surveyctl/kubectl/kubectl-survey', import.meta.url);
    await copyFile(plugin, project.path('bin/kubectl-survey'));
    // Without a cluster: finds one toolbox, and runs its command here.
    const kubectl = `#!/bin/sh
      [ "$3" = get ] && exec echo deployment.apps/survey-ops-tools
      while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;
    await project.write('bin/kubectl', kubectl);
    await chmod(project.path('bin/kubectl'), 0o755);
    const PATH = [project.path('bin'), dirname(RUNTIMES['Node 24'][0]), process.env['PATH']].join(delimiter);
    const env = { PATH, ACCOUNT_ADMIN_ADDRESS: stack.services['account-admin'].address };
    const name = 'ACME "North" & South';
    await project.run(['kubectl-survey', 'account', 'create', '--name', name], env);
    expect(await project.run(['kubectl-survey', 'account', 'list'], env)).toContain(name);
  });

  it('tries a snapshot, sends it and waits for its outcome, as the guide of operators says', async () => {
    const blocks = await shellBlocks('docs/operating.md');
    const commands = blocks.find((block) => block.startsWith('surveyctl import dry-run')) ?? '';
    const account = await operator.createAccount();
    const env = {
      PATH: [project.path('bin'), dirname(RUNTIMES['Node 24'][0]), process.env['PATH']].join(delimiter),
      SURVEY_URL: `http://${stack.services.gateway.address}`,
      WRITE_KEY: account.writeKey,
      ACCOUNT_ADMIN_ADDRESS: stack.services['account-admin'].address,
    };
    const importing = async (employees: readonly unknown[]): Promise<string> => {
      await project.write('snapshot.json', JSON.stringify({ employees }));
      const own = commands.replaceAll('--account 1', `--account ${account.accountId}`);
      return project.run(['bash', '-c', `set -eu -o pipefail\n${own}`], env);
    };
    expect(await importing([R(1), R(2), R(3)])).toMatch(/would be applied[^]*applied/);
    await expect(importing([R(1)])).rejects.toMatchObject({ code: 3 });
    expect(await listEmployees(account)).toMatchObject({ employees: [{}, {}, {}] });
  });
});
