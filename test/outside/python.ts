import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram } from '@survey/local/find-program.ts';
import { installationLines } from './project.ts';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('../../.local/python', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('python/requirements.txt', import.meta.url));
const INSTALLED = join(FOLDER, 'installed.txt');
const SITE_PACKAGES = 'lib/python3.11/site-packages';
const TIMEOUT_MS = 600_000;

/** Path of a program in the environment of the tools. */
export const pythonTool = (name: string): string => join(FOLDER, 'bin', name);

/** A Python environment of its own. */
export class PythonEnvironment {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(folder: string): Promise<PythonEnvironment> {
    await run((await findPython()) ?? '', ['-m', 'venv', folder]);
    return new PythonEnvironment(folder);
  }

  /** As `create`, but what the tools have installed counts as installed, because it is large. */
  static async createWithTools(folder: string): Promise<PythonEnvironment> {
    const environment = await PythonEnvironment.create(folder);
    await writeFile(join(folder, SITE_PACKAGES, 'tools.pth'), join(FOLDER, SITE_PACKAGES));
    return environment;
  }

  /**
   * Runs the lines of a document that install something, in a folder with the files that they name.
   */
  async installFrom(document: string, cwd: string): Promise<void> {
    for (const line of await installationLines(document)) await this.install(line, cwd);
  }

  // Only wheels, because an sdist runs code.
  async install(line: string, cwd: string): Promise<void> {
    const path = [join(this.folder, 'bin'), process.env['PATH']].join(delimiter);
    const settings = { PIP_QUIET: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_ONLY_BINARY: ':all:' };
    await run('sh', ['-c', line], { cwd, env: { ...process.env, ...settings, PATH: path }, timeout: TIMEOUT_MS });
  }
}

/** Installs the Python tools once. Returns why they are missing when they cannot be installed. */
export async function installPythonTools(): Promise<string | undefined> {
  if ((await findPython()) === undefined) return 'python3.11 is not installed';
  const wanted = await readFile(REQUIREMENTS, 'utf8');
  if ((await readFile(INSTALLED, 'utf8').catch(() => '')) === wanted) return undefined;
  try {
    await mkdir(FOLDER, { recursive: true });
    const tools = await PythonEnvironment.create(FOLDER);
    await tools.install(`pip install --requirement '${REQUIREMENTS}'`, FOLDER);
    await writeFile(INSTALLED, wanted);
    return undefined;
  } catch (error) {
    return `cannot install the Python tools from PyPI: ${String(error).split('\n', 2).join(' ')}`;
  }
}

const findPython = (): Promise<string | undefined> => findProgram('python3.11');
