import { existsSync } from 'node:fs';

/**
 * Returns the path of Chromium (CHROMIUM, or Debian's path); undefined without one. .ci/tools
 * installs it.
 */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return existsSync(path) ? path : undefined;
}
