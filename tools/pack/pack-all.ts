import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, glob, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findProgram } from '../../deploy/local/find-program.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLIENTS = join(ROOT, 'clients');
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const NPM_PACKAGES = ['typescript', 'events', 'surveyctl'];

// The date of every file in an archive, so that packing again gives the same bytes. Helm and
// hatchling read it from here; pnpm has a date of its own.
const ENVIRONMENT = { SOURCE_DATE_EPOCH: '1580601600', ...process.env };

/**
 * Packs everything into a folder, which must be empty, and adds SHA256SUMS. Returns a line about
 * each part that was left out because this machine lacks the tool for it.
 * @throws when a tool is there and fails
 */
export async function packAll(folder: string): Promise<string[]> {
  const parts = [...NPM_PACKAGES.map((name) => packNpm(name, folder)), packPython(folder), packChart(folder)];
  const omissions = await Promise.all(parts);
  await copyConnector('airbyte', folder);
  await writeChecksums(folder);
  return omissions.filter((omission) => omission !== undefined);
}

// pnpm, because it puts publishConfig in place of the exports of the workspace.
async function packNpm(name: string, folder: string): Promise<undefined> {
  const manifest = z.object({ packageManager: z.string() });
  const { packageManager } = manifest.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')));
  await run('npx', ['--yes', packageManager, 'pack', '--pack-destination', folder], { cwd: join(CLIENTS, name) });
}

/** Builds sdist and wheel, and the folder of the dlt connector, which installs the wheel. */
async function packPython(folder: string): Promise<string | undefined> {
  const python = await findProgram('python3');
  if (python === undefined) return 'the Python client and the dlt connector: python3 is not installed';
  const hatchling = join(ROOT, '.local', `hatchling-${sha256(await readFile(REQUIREMENTS)).slice(0, 8)}`);
  if (!existsSync(join(hatchling, 'bin'))) {
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary=:all:', '--require-hashes', '--target', hatchling];
    try {
      await run(python, ['-m', 'pip', 'install', ...options, '--requirement', REQUIREMENTS]);
    } catch (error) {
      return `the Python client and the dlt connector: pip cannot install hatchling: ${lastLine(error)}`;
    }
  }
  const env = { ...ENVIRONMENT, PYTHONPATH: hatchling };
  await run(python, ['-m', 'hatchling', 'build', '--directory', folder], { cwd: join(CLIENTS, 'python'), env });
  await copyConnector('dlt', folder);
  for await (const wheel of glob('*.whl', { cwd: folder })) await copyFile(join(folder, wheel), join(folder, 'dlt', wheel));
  return undefined;
}

// Helm 4, because Helm 3 puts the time of day into the archive.
async function packChart(folder: string): Promise<string | undefined> {
  const found = (await findProgram('helm4', [join(ROOT, '.local/tools')])) ?? (await findProgram('helm'));
  const helm = process.env['HELM'] ?? found;
  const version = helm && (await run(helm, ['version', '--short'])).stdout.trim();
  if (!version?.startsWith('v4.'))
    return `the Helm chart: Helm 4 is needed, and ${version ?? 'no Helm'} was found: run .ci/tools`;
  await run(join(ROOT, 'deploy/bin/release-charts'), ['pack', folder], { env: { ...ENVIRONMENT, HELM: helm } });
  return undefined;
}

async function copyConnector(name: string, folder: string): Promise<void> {
  await mkdir(join(folder, name));
  for await (const file of glob(`${name}/*.{md,py,txt,yaml}`, { cwd: CLIENTS }))
    await copyFile(join(CLIENTS, file), join(folder, file));
}

/** Writes the file that `sha256sum --check SHA256SUMS` reads. */
async function writeChecksums(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => extname(file) !== '').sort();
  const lines = await Promise.all(files.map(async (file) => `${sha256(await readFile(join(folder, file)))}  ${file}\n`));
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''));
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const lastLine = (error: unknown): string => String(error).trim().split('\n').at(-1) ?? '';
