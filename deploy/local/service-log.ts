import { createWriteStream } from 'node:fs';
import type { Source } from './log-line.ts';
import { rotateLog } from './rotate-log.ts';
import { printServiceLine } from './terminal.ts';

const ROTATION_INTERVAL_MS = 10_000;

interface ServiceLog extends Disposable {
  // Prints a line that a service wrote, and appends it to the file as it is.
  readonly write: (source: Source, line: string) => void;
}

/** Opens the file from which support bundles take log lines; only its owner can read it. */
export function openServiceLog(file: string): ServiceLog {
  const log = createWriteStream(file, { flags: 'a', mode: 0o600 });
  const rotation = setInterval(() => void rotateLog(file).catch(() => undefined), ROTATION_INTERVAL_MS).unref();
  return {
    write: (source, line) => {
      printServiceLine(source, line);
      log.write(`${line}\n`);
    },
    [Symbol.dispose]: () => {
      clearInterval(rotation);
      log.end();
    },
  };
}
