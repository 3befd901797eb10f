import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { OutsideProject } from './project.ts';
import { RUNTIMES } from './runtimes.ts';

const { stack, api } = await startFileStack();

describe.skipIf(inject('missing') !== undefined)('the packed @survey/surveyctl', () => {
  let project: OutsideProject;
  beforeAll(async () => {
    project = await OutsideProject.withPackages(['surveyctl']);
  });
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
});
