import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
// Other scripts run the same programs with an argument, or buf.
const programs = Object.entries(scripts).filter(([, command]) => /^exec node deploy\/local\/run\.mjs \S+$/.test(command));

describe('npm run', () => {
  it.each(programs)('%s says what it does instead of doing it, if asked for help', async (_, command) => {
    const [, ...args] = command.split(' ').slice(1);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args, '--help']);
    expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/[Uu]sage: npm|npm (run|test)/), stderr: '' });
  });
});
