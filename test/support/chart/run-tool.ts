import { execFile } from 'node:child_process';

export interface ToolOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ToolOptions {
  readonly seconds?: number;
  /** Environment variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  /** False for a program whose child processes reserve more address space than the limit. */
  readonly isMemoryLimited?: boolean;
}

// Limit because templates can loop: helm 3.6 used all memory for output that began with a brace.
const MEMORY_LIMIT = 'ulimit -v 6000000;';

/** Runs a program with limited time and memory. Resolves with any exit code. */
export function runTool(program: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolOutcome> {
  const { seconds = 60, env = {}, input = '', isMemoryLimited = true } = options;
  const script = `${isMemoryLimited ? MEMORY_LIMIT : ''} exec timeout --kill-after=5 ${seconds} "$@"`;
  return new Promise((resolve) => {
    const settings = { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8', env: { ...process.env, ...env } } as const;
    const child = execFile('bash', ['-c', script, 'bash', program, ...args], settings, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}
