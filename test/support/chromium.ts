import { basename, dirname } from 'node:path';
import { findProgram } from '@survey/local/find-program.ts';
import { reportSkipped } from './skipped.ts';

/**
 * Returns the path of Chromium (CHROMIUM, or Debian's path); undefined without one. .ci/tools
 * installs it.
 */
export async function findChromium(): Promise<string | undefined> {
  const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if ((await findProgram(basename(path), [dirname(path)])) !== undefined) return path;
  reportSkipped('what runs in a browser', `Chromium is not at ${path}: CHROMIUM names another, and \`.ci/tools\` installs one`);
  return undefined;
}
