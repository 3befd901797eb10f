import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../../test/programs/slow-to-stop.ts', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}

/**
 * Runs a service as a process, sends SIGTERM at each of the given lines, and returns how it ended.
 */
async function runService(environment: Readonly<Record<string, string>>, stopAt: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (stopAt.includes(line)) child.kill('SIGTERM');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, lines };
}

describe('a process that stops', () => {
  it('finishes its work when a second SIGTERM comes while it drains', async () => {
    const ended = await runService({}, ['serving', 'draining']);
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.lines).toContain('finished');
  });

  it('finishes its work and exits with an error when a rejection is unhandled while it drains', async () => {
    const ended = await runService({ RUN_ASIDE: 'rejection' }, ['serving']);
    expect(ended).toMatchObject({ code: 1, signal: null });
    expect(ended.lines).toContain('finished');
    expect(ended.lines.join('\n')).toContain('unhandled rejection');
    expect(ended.lines.join('\n')).toMatch(/"no answer of redis:\/\/host: ERR unknown command 'AUTH'".*at run /);
    expect(ended.lines.join('\n')).not.toContain('canary');
  });

  it('ends after SHUTDOWN_TIMEOUT_MS when its work does not end', async () => {
    const ended = await runService({ SHUTDOWN_TIMEOUT_MS: '100' }, ['serving']);
    expect(ended).toMatchObject({ code: 1, signal: null });
    expect(ended.lines).not.toContain('finished');
    expect(ended.lines.join('\n')).toContain('SHUTDOWN_TIMEOUT_MS exceeded');
  });
});

it.each([
  ['SHUTDOWN_TIMEOUT_MS', '25s'],
  ['DRAIN_DELAY_MS', '-1'],
  ['LOG_LEVEL', 'loud'],
  ['FAILPOINTS', 'yes'],
])('does not start, and names the setting, when %s is %s', async (name, value) => {
  const ended = await runService({ [name]: value }, ['serving']);
  expect(ended.code).toBe(1);
  expect(ended.lines).not.toContain('serving');
  expect(ended.lines.join('\n')).toContain(name);
});

it.each(['', ' '])('treats the setting %j as unset', async (empty) => {
  const ended = await runService({ SHUTDOWN_TIMEOUT_MS: empty, DRAIN_DELAY_MS: empty, LOG_LEVEL: empty }, ['serving']);
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(ended.lines).toContain('finished');
});
