import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of one's own at a folder, until it is disposed of. */
interface Mount extends AsyncDisposable {
  readonly folder: string;
}

/** A file system in memory that has so much room and no more. Root only, and not in every container: throws with what `mount` says. */
export async function mountMemory(folder: string, mebibytes: number): Promise<Mount> {
  return mount(folder, ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs']);
}

/** An ext4 in a file, made anew. */
export async function makeImage(image: string, mebibytes: number): Promise<void> {
  await run('truncate', ['-s', `${mebibytes}M`, image]);
  await run('mkfs.ext4', ['-q', '-F', image]);
}

/** The file system in such a file, by a loop device. One that was cut off from its power is recovered by its journal. */
export async function mountImage(folder: string, image: string): Promise<Mount> {
  return mount(folder, ['-o', 'loop', image]);
}

async function mount(folder: string, what: readonly string[]): Promise<Mount> {
  await mkdir(folder, { recursive: true });
  await run('mount', [...what, folder]);
  // PostgreSQL runs as somebody else.
  await chmod(folder, 0o755);
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]));
    },
  };
}

/** Why nothing can be mounted here; undefined when it can. */
export async function whyNoMounts(folder: string): Promise<string | undefined> {
  try {
    await using _ = await mountMemory(folder, 1);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}
