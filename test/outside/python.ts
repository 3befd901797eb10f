import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '@survey/local/find-program.ts';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../.local/python', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const INSTALLED = join(FOLDER, 'installed.txt');

/** Path of a program in the environment of the tools. */
export const pythonTool = (name: string): string => join(FOLDER, 'bin', name);

/** Creates an empty environment and installs packages, only as wheels: an sdist runs code. */
export async function createEnvironment(folder: string, packages: readonly string[]): Promise<void> {
  await run((await findPython()) ?? '', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:', ...packages], {
    timeout: 300_000,
  });
}

/** Installs the Python tools once. Returns why they are missing when they cannot be installed. */
export async function installPythonTools(): Promise<string | undefined> {
  if ((await findPython()) === undefined) return 'python3.11 is not installed';
  const wanted = await readFile(REQUIREMENTS, 'utf8');
  if ((await readFile(INSTALLED, 'utf8').catch(() => '')) === wanted) return undefined;
  try {
    await mkdir(FOLDER, { recursive: true });
    await createEnvironment(FOLDER, ['--requirement', REQUIREMENTS]);
    await writeFile(INSTALLED, wanted);
    return undefined;
  } catch (error) {
    return `cannot install the Python tools from PyPI: ${String(error).split('\n', 2).join(' ')}`;
  }
}

const findPython = (): Promise<string | undefined> => findProgram('python3.11');

/** Builds the sdist and, from it, the wheel of a package. Returns the path of the wheel. */
export async function packPython(source: string, destination: string): Promise<string> {
  await run(pythonTool('python'), ['-m', 'build', '--no-isolation', '--outdir', destination, source]);
  const wheel = (await readdir(destination)).find((file) => file.endsWith('.whl'));
  if (wheel === undefined) throw new Error(`cannot find the wheel of ${source}: it was not built`);
  return join(destination, wheel);
}
