import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject } from 'vitest';

export const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A folder outside the repository that holds what `npm run pack` wrote; it is deleted with the
 * object.
 */
export class OutsideProject {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates an npm project and installs in it what the document says. */
  static fromDocument(document: string): Promise<OutsideProject> {
    return OutsideProject.fromDocuments([document], inject('dist'));
  }

  /** The same for several documents, which name files of the folder. */
  static async fromDocuments(documents: readonly string[], dist: string): Promise<OutsideProject> {
    const project = new OutsideProject(await mkdtemp(join(tmpdir(), 'survey-outside-')));
    await cp(dist, project.folder, { recursive: true });
    await project.write('package.json', '{ "private": true }');
    const settings = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_prefix: project.folder };
    const env = { ...process.env, ...settings };
    for (const document of documents)
      for (const line of await installationLines(document)) await run('sh', ['-c', line], { cwd: project.folder, env });
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
    const { stdout } = await run(command, args, {
      cwd: this.folder,
      env: { PATH: path, HOME: this.folder, ...env },
      maxBuffer: 2 ** 28,
    });
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Lines of a document's shell blocks that install something. */
export async function installationLines(document: string): Promise<string[]> {
  const lines = (await shellBlocks(document)).flatMap((block) => block.match(/^(?:npm|pip) install .*$/gm) ?? []);
  expect(lines).not.toEqual([]);
  return lines;
}

/** Shell blocks of a document of this repository or of another checkout, without indentation. */
export async function shellBlocks(document: string): Promise<string[]> {
  const text = await readFile(resolve(ROOT, document), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
