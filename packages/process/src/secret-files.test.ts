import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadSecretFiles } from './secret-files.ts';

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'survey-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('loadSecretFiles', () => {
  it('sets the variables that files are named after, without the last line break', () => {
    const environment = { SECRETS_DIR: folderOf({ PGPASSWORD: 'secret\n', '..data': 'no variable' }), LOG_LEVEL: 'info' };
    loadSecretFiles(environment);
    expect(environment).toEqual({ SECRETS_DIR: environment.SECRETS_DIR, LOG_LEVEL: 'info', PGPASSWORD: 'secret' });
  });

  it('reads a changed file when it is called again', () => {
    const environment: NodeJS.ProcessEnv = { SECRETS_DIR: folderOf({ PGPASSWORD: 'old' }) };
    loadSecretFiles(environment);
    writeFileSync(join(environment['SECRETS_DIR'] ?? '', 'PGPASSWORD'), 'new');
    loadSecretFiles(environment);
    expect(environment['PGPASSWORD']).toBe('new');
  });

  it.each([
    ['nats://export@one:4222,nats://two:4222', 'nats://export:a%2Fb%24%261@one:4222,nats://two:4222'],
    ['redis+sentinel://default@one/group', 'redis+sentinel://default:a%2Fb%24%261@one/group'],
    ['nats://export:own@one:4222', 'nats://export:own@one:4222'],
    ['nats://one:4222', 'nats://one:4222'],
  ])('turns the URL %s into %s', (given, expected) => {
    const environment: NodeJS.ProcessEnv = { NATS_URL: given, NATS_PASSWORD: 'a/b$&1' };
    loadSecretFiles(environment);
    expect(environment['NATS_URL']).toBe(expected);
  });

  it('changes nothing without SECRETS_DIR and passwords', () => {
    const environment = { NATS_URL: 'nats://export@one:4222' };
    loadSecretFiles(environment);
    expect(environment).toEqual({ NATS_URL: 'nats://export@one:4222' });
  });

  it('throws when the folder does not exist', () => {
    expect(() => loadSecretFiles({ SECRETS_DIR: '/nowhere' })).toThrow('/nowhere');
  });
});
