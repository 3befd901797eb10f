import { copyFile, readFile } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Account } from '../support/accounts.ts';
import { holdAccount } from '../support/employees.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { OutsideProject, shellBlocks } from './project.ts';
import { RUNTIMES } from './runtimes.ts';

const { stack, api, operator, db, listEmployees } = await startFileStack();

const GUIDE = 'docs/guides/import-nightly.md';
const HEADER = 'import_id,email,firstname,lastname,reports_to_id,Department';
const ROWS = ['E1,e1@x.io,Ada,"Lovelace, Countess",,Research', 'E2,e2@x.io,Alan,Turing,E1,', 'E3,e3@x.io,Grace,Hopper,E1,'];

describe.skipIf(inject('missing') !== undefined)('the guide to an import every night', () => {
  let project: OutsideProject;
  let command: string;
  beforeAll(async () => {
    project = await OutsideProject.fromDocument(GUIDE);
    await copyFile(new URL('../../docs/examples/nightly-import.mjs', import.meta.url), project.path('nightly-import.mjs'));
    const lines = (await shellBlocks(GUIDE)).join('').split('\n');
    command = lines.find((line) => line.endsWith('node nightly-import.mjs employees.csv')) ?? '';
  });
  afterAll(() => project[Symbol.asyncDispose]());

  /**
   * Runs the command of the guide, which has only the URL and the key. Its complaints are in
   * `messages`.
   */
  async function nightly({ writeKey }: Account, rows: readonly string[]): Promise<string> {
    await project.write('employees.csv', [HEADER, ...rows].join('\r\n'));
    const own = command.replace('https://survey.example.com', `http://${stack.services.gateway.address}`).replace('…', writeKey);
    const PATH = [dirname(RUNTIMES['Node 20'][0]), process.env['PATH']].join(delimiter);
    await project.write('messages', '');
    return project.run(['sh', '-c', `${own} --wait 0.1 2>messages`], { PATH });
  }
  const messages = (): Promise<string> => readFile(project.path('messages'), 'utf8');

  it('imports a CSV file with a write key alone', async () => {
    const account = await operator.createAccount();
    expect(await nightly(account, ROWS)).toMatch(/^accepted 3 employees as import [0-9a-f-]{36}\n$/);
    await expect
      .poll(async () => (await listEmployees(account)).employees.map(({ lastname, attributes }) => [lastname, attributes.length]))
      .toEqual([
        ['Lovelace, Countess', 1],
        ['Turing', 0],
        ['Hopper', 0],
      ]);
  });

  it('waits while another import is running', async () => {
    const account = await operator.createAccount();
    await using hold = await holdAccount(db, account.accountId);
    expect(await api.post('/v1/employees/imports', { employees: [R(9)] }, account.writeKey)).toMatchObject({ status: 202 });
    const output = nightly(account, ROWS);
    await expect.poll(messages).toMatch(/409 .*: trying again in 0.1 s/);
    await hold.letGo();
    expect(await output).toContain('accepted 3 employees');
  });

  it('names the faults of a rejected file, and ends with 1', async () => {
    const account = await operator.createAccount();
    await expect(nightly(account, ['E1,e1@x.io,Ada'])).rejects.toMatchObject({ code: 1 });
    expect(await messages()).toContain('Invalid Record Length');
    await expect(nightly(account, [])).rejects.toMatchObject({ code: 1 });
    expect(await messages()).toContain('/employees');
  });
});
