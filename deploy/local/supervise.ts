import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

// A shell between this process and the program reads a pipe held here. The pipe closes when this
// process ends, however it ends, so no program outlives it. The program has its own process group:
// Ctrl-C in the terminal reaches only this process.
const KEEPER = `
signal=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
{ read -r _ <&3; kill -s "$signal" "$program"; } >/dev/null 2>&1 &
reader=$!
exec 3<&-
# Otherwise the shell reports a program that a signal ended: "Terminated".
wait "$program" 2>/dev/null; code=$?
kill "$reader" 2>/dev/null
exit "$code"
`;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  // Signal that asks the program to end; TERM by default.
  readonly stopSignal?: 'TERM' | 'INT';
}

interface Program extends Command {
  // Destination of standard output and error: the descriptor of an open file, or `pipe`.
  readonly output: number | 'pipe';
}

export interface Supervised {
  // Resolves with the exit code when the program has ended.
  readonly ended: Promise<number>;
  // Null when the output goes to a file.
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  hasEnded(): boolean;
  // Asks the program to end; kills it after `graceMs`.
  stop(graceMs: number): Promise<void>;
}

/** Starts a program that ends with this process at the latest. */
export function supervise(program: Program): Supervised {
  const child = spawn('sh', ['-c', KEEPER, 'sh', program.stopSignal ?? 'TERM', program.command, ...program.args], {
    detached: true,
    stdio: ['pipe', program.output, program.output],
    env: program.env ?? process.env,
  });
  child.stdin?.on('error', () => undefined);
  let hasEnded = false;
  const ended = exitCode(child).finally(() => {
    hasEnded = true;
  });
  return {
    ended,
    stdout: child.stdout,
    stderr: child.stderr,
    hasEnded: () => hasEnded,
    stop: async (graceMs) => {
      child.stdin?.end();
      const late = sleep(graceMs, 'late' as const, { ref: false });
      if ((await Promise.race([ended, late])) === 'late') killGroup(child);
      await ended;
    },
  };
}

async function exitCode(child: ChildProcess): Promise<number> {
  try {
    await once(child, 'exit');
  } catch {
    return 127;
  }
  // Like a shell, because otherwise a program that was killed looks like one that failed.
  return child.exitCode ?? 128 + (child.signalCode === null ? 0 : constants.signals[child.signalCode]);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has just ended by itself.
  }
}
