import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

// A shell stands between us and the program and reads a pipe that we hold. The pipe closes when we
// close it and when we die, however we die, so nothing we started outlives us. It is a process
// group of its own: Ctrl-C in the terminal reaches us alone.
const KEEPER = `
signal=$1; shift
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
{ read -r _ <&3; kill -s "$signal" "$program"; } >/dev/null 2>&1 &
reader=$!
exec 3<&-
wait "$program"; code=$?
kill "$reader" 2>/dev/null
exit "$code"
`;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  // Asks the program to end; TERM unless told.
  readonly stopSignal?: 'TERM' | 'INT';
}

export interface Program extends Command {
  // Where standard output and error go: the descriptor of an open file, or `pipe` to read them
  // here.
  readonly output: number | 'pipe';
}

export interface Supervised {
  // Settles when the program has ended, with its exit code.
  readonly ended: Promise<number>;
  // Null when the output goes to a file.
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  hasEnded(): boolean;
  // Asks it to end and kills it when it is still there after `graceMs`.
  stop(graceMs: number): Promise<void>;
}

/** Starts a program that ends with us at the latest. */
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
  return child.exitCode ?? 1;
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has just ended by itself.
  }
}
