import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system mounted at a folder until disposed. */
interface Mount extends AsyncDisposable {
  readonly folder: string;
}

/**
 * Mounts a memory file system of limited size. Requires root. @throws with the message of `mount`.
 */
export async function mountMemory(folder: string, mebibytes: number): Promise<Mount> {
  return mount(folder, ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs']);
}

/** Creates and mounts an ext4 file system in a file. */
export async function makeImage(image: string, mebibytes: number): Promise<void> {
  await run('truncate', ['-s', `${mebibytes}M`, image]);
  await run('mkfs.ext4', ['-q', '-F', image]);
}

/** Mounts the file system in a file; after a power cut it recovers by its journal. */
export async function mountImage(folder: string, image: string): Promise<Mount> {
  return mount(folder, ['-o', 'loop', image]);
}

async function mount(folder: string, what: readonly string[]): Promise<Mount> {
  await mkdir(folder, { recursive: true });
  await run('mount', [...what, folder]);
  // PostgreSQL runs as another user.
  await chmod(folder, 0o755);
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await run('umount', [folder]).catch(() => run('umount', ['--lazy', folder]));
    },
  };
}

/** Returns why file systems cannot be mounted; undefined when they can. */
export async function whyNoMounts(folder: string): Promise<string | undefined> {
  try {
    await using _ = await mountMemory(folder, 1);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}
