import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAddress, findNatsUrl } from './address.ts';

let folder: string;
let below: string;

const stackIs = (text: string): Promise<void> => writeFile(join(folder, '.local', 'stack.json'), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'surveyctl-'));
  below = join(folder, 'a', 'b');
  await mkdir(below, { recursive: true });
  await mkdir(join(folder, '.local'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('the address of account-admin', () => {
  it('prefers the option to the environment and the environment to the stack file', async () => {
    await stackIs('{"account_admin_address":"127.0.0.1:3"}');
    expect(await findAddress({ option: 'a:1', environment: 'b:2', folder })).toBe('a:1');
    expect(await findAddress({ option: undefined, environment: 'b:2', folder })).toBe('b:2');
    expect(await findAddress({ option: undefined, environment: '', folder })).toBe('127.0.0.1:3');
  });

  it('is found in a parent folder', async () => {
    await stackIs('{"account_admin_address":"127.0.0.1:3"}');
    expect(await findAddress({ option: undefined, environment: undefined, folder: below })).toBe('127.0.0.1:3');
  });

  it.each(['localhost', ':1', 'localhost:', 'localhost:0', 'localhost:65536', 'localhost:x', ''])('is not %j', async (option) => {
    await expect(findAddress({ option, environment: undefined, folder })).rejects.toMatchObject({ exitCode: 2 });
  });

  it.each(['', 'no json', 'null', '{}', '{"account_admin_address":7}'])(
    'is asked for when the stack file holds %j',
    async (text) => {
      await stackIs(text);
      await expect(findAddress({ option: undefined, environment: undefined, folder })).rejects.toThrow('npm start');
    },
  );
});

describe('the address of the bus', () => {
  it('prefers the option to the environment and the environment to the stack file', async () => {
    await stackIs('{"account_admin_address":"127.0.0.1:3","nats_url":"nats://127.0.0.1:4222"}');
    expect(await findNatsUrl({ option: 'nats://a:1', environment: 'nats://b:2', folder })).toBe('nats://a:1');
    expect(await findNatsUrl({ option: undefined, environment: 'nats://b:2', folder })).toBe('nats://b:2');
    expect(await findNatsUrl({ option: undefined, environment: '', folder })).toBe('nats://127.0.0.1:4222');
  });
});
