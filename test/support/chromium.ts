import { existsSync } from 'node:fs';
import { reportSkipped } from './skipped.ts';

/**
 * Returns the path of Chromium (CHROMIUM, or Debian's path); undefined without one. .ci/tools
 * installs it.
 */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (existsSync(path)) return path;
  reportSkipped('what runs in a browser', `Chromium is not at ${path}: CHROMIUM names another, and \`.ci/tools\` installs one`);
  return undefined;
}
