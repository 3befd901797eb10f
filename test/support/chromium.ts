import { existsSync } from 'node:fs';

/** Where Chromium is: CHROMIUM names it, Debian's package puts it there. Undefined where there is none; .ci/tools installs it. */
export function findChromium(): string | undefined {
  const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  return existsSync(path) ? path : undefined;
}
