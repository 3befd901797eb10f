import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../.local/outside', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/** Command lines of the runtimes that the packages support; the script's name follows. */
export const RUNTIMES = {
  'Node 20': [join(FOLDER, 'node_modules/node20/bin/node')],
  'Node 22': [join(FOLDER, 'node_modules/node22/bin/node')],
  'Node 24': [process.execPath],
  Bun: [join(FOLDER, 'node_modules/.bin/bun')],
  Deno: [join(FOLDER, 'node_modules/.bin/deno'), 'run', '--quiet', '--allow-net', '--allow-env', '--allow-read'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export const ESBUILD = join(FOLDER, 'node_modules/.bin/esbuild');

const PACKAGES = [`node20@npm:node-${PLATFORM}@20`, `node22@npm:node-${PLATFORM}@22`, 'bun@1', 'deno@2', 'esbuild@0.28'];

/** Installs the runtimes once. Returns why they are missing when the registry cannot be reached. */
export async function installRuntimes(): Promise<string | undefined> {
  await mkdir(FOLDER, { recursive: true });
  try {
    await run('npm', ['install', '--prefix', FOLDER, '--prefer-offline', '--no-audit', '--no-fund', ...PACKAGES]);
    return undefined;
  } catch (error) {
    return `cannot install the runtimes from the npm registry: ${String(error).split('\n', 2).join(' ')}`;
  }
}
