import { execFile } from 'node:child_process';

export interface ToolOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

// Templates can loop: helm 3.6 ate all memory for an output that began with a brace.
const LIMITS = 'ulimit -v 6000000; exec timeout --kill-after=5 60 "$@"';

/** Runs a program with a limit of time and of memory. Never throws for what it exits with. */
export function runTool(program: string, args: readonly string[]): Promise<ToolOutcome> {
  return new Promise((resolve) => {
    const shell = ['-c', LIMITS, 'bash', program, ...args];
    execFile('bash', shell, { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}
