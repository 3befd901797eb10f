import { chmod, copyFile, mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { OutsideProject } from './project.ts';
import { RUNTIMES } from './runtimes.ts';

const { stack, api, operator, listEmployees } = await startFileStack();

describe.skipIf(inject('missing') !== undefined)('the packed @survey/surveyctl', () => {
  let project: OutsideProject;
  beforeAll(async () => {
    project = await OutsideProject.withPackages(['client', 'surveyctl'], ['csv-parse@7']);
  }, 300_000);
  afterAll(() => project[Symbol.asyncDispose]());

  const surveyctl = (...args: string[]): Promise<string> =>
    project.run([RUNTIMES['Node 24'][0], join('node_modules', '.bin', 'surveyctl'), ...args]);

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
    await mkdir(project.path('bin'));
    const plugin = new URL('../../clients/surveyctl/kubectl/kubectl-survey', import.meta.url);
    await copyFile(plugin, project.path('bin/kubectl-survey'));
    // Without a cluster: finds one toolbox, and runs its command here.
    const kubectl = `#!/bin/sh
      [ "$3" = get ] && exec echo deployment.apps/survey-ops-tools
      while [ "$1" != -- ]; do shift; done; shift; exec "$@"`;
    await project.write('bin/kubectl', kubectl);
    await chmod(project.path('bin/kubectl'), 0o755);
    const folders = ['bin', 'node_modules/.bin'].map((folder) => project.path(folder));
    const PATH = [...folders, dirname(RUNTIMES['Node 24'][0]), process.env['PATH']].join(delimiter);
    const env = { PATH, ACCOUNT_ADMIN_ADDRESS: stack.services['account-admin'].address };
    const name = 'ACME "North" & South';
    await project.run(['kubectl-survey', 'account', 'create', '--name', name], env);
    expect(await project.run(['kubectl-survey', 'account', 'list'], env)).toContain(name);
  });

  it('imports a CSV file every night, unless the dry run would be cancelled', async () => {
    const example = new URL('../../docs/examples/nightly-import.mjs', import.meta.url);
    await copyFile(example, project.path('nightly-import.mjs'));
    const account = await operator.createAccount();
    const env = {
      PATH: [project.path('node_modules/.bin'), dirname(RUNTIMES['Node 24'][0]), process.env['PATH']].join(delimiter),
      SURVEY_URL: `http://${stack.services.gateway.address}`,
      SURVEY_WRITE_KEY: account.writeKey,
      ACCOUNT_ADMIN_ADDRESS: stack.services['account-admin'].address,
    };
    const nightly = async (rows: readonly string[]): Promise<string> => {
      await project.write('hr.csv', ['import_id,email,firstname,lastname,reports_to_id,Department', ...rows].join('\r\n'));
      return project.run([RUNTIMES['Node 24'][0], 'nightly-import.mjs', '--account', String(account.accountId), 'hr.csv'], env);
    };
    const rows = ['E1,e1@x.io,Ada,"Lovelace, Countess",,Research', 'E2,e2@x.io,Alan,Turing,E1,', 'E3,e3@x.io,Grace,Hopper,E1,'];
    expect(await nightly(rows)).toContain('applied');
    const { employees } = await listEmployees(account);
    expect(employees.map(({ lastname, attributes }) => [lastname, attributes.length])).toEqual([
      ['Lovelace, Countess', 1],
      ['Turing', 0],
      ['Hopper', 0],
    ]);
    await expect(nightly(rows.slice(0, 1))).rejects.toMatchObject({ code: 3 });
    await expect(nightly([])).rejects.toMatchObject({ code: 1 });
    expect(await listEmployees(account)).toMatchObject({ employees: [{}, {}, {}] });
  });
});
