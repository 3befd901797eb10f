import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

export const run = promisify(execFile);

const PACKAGES = fileURLToPath(new URL('../../clients', import.meta.url));
const manifest = z.object({ packageManager: z.string() });

/** An npm project outside the repository; it is deleted with the object. */
export class OutsideProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Packs packages of the workspace and installs them, and `others` of the registry, into a new
   * project.
   */
  static async withPackages(names: readonly string[], others: readonly string[] = []): Promise<OutsideProject> {
    const project = new OutsideProject(await mkdtemp(join(tmpdir(), 'survey-outside-')));
    const tarballs = [];
    for (const name of names) tarballs.push(await pack(name, project.folder));
    await project.write('package.json', '{ "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...others], { cwd: project.folder });
    return project;
  }

  /** Returns the absolute path of a file. */
  path(name: string): string {
    return join(this.folder, name);
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(this.path(name), text);
  }

  /**
   * Runs a command in the project, with no other environment than the given one, and returns its
   * output.
   */
  async run([command, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const path = process.env['PATH'] ?? '';
    const { stdout } = await run(command, args, { cwd: this.folder, env: { PATH: path, HOME: this.folder, ...env } });
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

// pnpm, because it puts publishConfig in place of the exports of the workspace.
async function pack(name: string, destination: string): Promise<string> {
  const { packageManager } = manifest.parse(JSON.parse(await readFile(join(PACKAGES, '../package.json'), 'utf8')));
  const args = ['--yes', packageManager, 'pack', '--json', '--pack-destination', destination];
  const { stdout } = await run('npx', args, { cwd: join(PACKAGES, name) });
  const { filename } = z.object({ filename: z.string() }).parse(JSON.parse(stdout.slice(stdout.search(/^\{/m))));
  return join(destination, basename(filename));
}
