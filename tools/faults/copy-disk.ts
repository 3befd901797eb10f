import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COPIES = 10;

/**
 * Copies a disk in a file whose server is paused. What the file system has not written yet is not
 * in the file, as after a power cut. If the kernel writes delayed data during the copy, the copy is
 * repeated.
 */
export async function copyAtOneMoment(image: string, copy: string): Promise<void> {
  for (let time = 0; time < COPIES; time += 1) {
    await copyFile(image, copy);
    if (await isSame(image, copy)) return;
  }
  throw new Error('cannot copy the disk: it changes constantly');
}

async function isSame(one: string, other: string): Promise<boolean> {
  return run('cmp', ['--silent', one, other]).then(
    () => true,
    () => false,
  );
}
