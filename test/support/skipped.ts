import { appendFileSync } from 'node:fs';

/** States why tests of a file cannot run here; test/run.ts repeats it in its last lines. */
export function reportSkipped(what: string, reason: string): void {
  const line = `skipped: ${what}: ${reason}\n`;
  const { SKIPPED_FILE } = process.env;
  if (SKIPPED_FILE === undefined) process.stderr.write(line);
  else appendFileSync(SKIPPED_FILE, line);
}
