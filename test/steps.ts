import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '@survey/local/supervise.ts';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  // What to show when something failed; empty when it was shown already.
  readonly output: string;
}

export interface Step {
  readonly name: string;
  run(): Promise<Outcome>;
}

// One command that passes when it exits with 0.
const check = (name: string, command: string, ...args: string[]): Step => ({
  name,
  run: async () => {
    const { code, output } = await exec(command, args);
    return code === 0 ? { passed: 1, failed: 0, output: '' } : { passed: 0, failed: 1, output };
  },
});

export const CHECKS: readonly Step[] = [
  check('types', 'tsc', '-p', 'tsconfig.json'),
  check('lint', 'oxlint', '--type-aware'),
  check('format', 'prettier', '--check', '--log-level', 'warn', '.'),
  check('proto lint', 'buf', 'lint'),
  check('M7 messages that the newest release understands', 'buf', 'breaking', '--against', 'proto/released.binpb'),
  { name: 'generated code is current', run: generatedCodeIsCurrent },
];

async function generatedCodeIsCurrent(): Promise<Outcome> {
  const fresh = await mkdtemp(join(tmpdir(), 'survey-gen-'));
  try {
    const generated = await exec('buf', ['generate', '--output', fresh]);
    if (generated.code !== 0) return { passed: 0, failed: 1, output: generated.output };
    const kept = 'packages/rpc/gen';
    const { code, output } = await exec('diff', ['--recursive', '--brief', join(fresh, kept), join(ROOT, kept)]);
    if (code === 0) return { passed: 1, failed: 0, output: '' };
    return { passed: 0, failed: 1, output: `${output}\npackages/rpc/gen is not what proto/ generates: run \`npm run generate\`` };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

export type Project = 'unit' | 'system' | 'faults' | 'chart' | 'image' | 'through-image';

/** The tests of one vitest project. `live` shows its progress as it comes, else only what failed is shown. */
export function tests(name: string, project: Project, live: boolean, args: readonly string[]): Step {
  return { name, run: () => runVitest(project, live, args) };
}

const report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

async function runVitest(project: string, live: boolean, args: readonly string[]): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-vitest-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    // A file that was asked for belongs to one of the two projects.
    const options = args.length > 0 ? ['--passWithNoTests', ...args] : [];
    const { code, output } = await exec('vitest', ['run', '--project', project, ...reporters, ...options], live);
    const { passed, failed } = await countTests(file);
    // Something outside any test can fail too, such as the start of PostgreSQL.
    return { passed, failed: code === 0 ? failed : Math.max(1, failed), output: code === 0 ? '' : output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function countTests(file: string): Promise<{ passed: number; failed: number }> {
  const written = await readFile(file, 'utf8').catch(() => undefined);
  if (written === undefined) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests, testResults } = report.parse(JSON.parse(written));
  // A file that could not be loaded has no tests that could fail.
  const broken = testResults.filter((result) => result.status === 'failed' && result.assertionResults.length === 0);
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

// Output goes through a file: a Rust program inside Node, such as oxlint, panics when a pipe is full.
async function exec(command: string, args: readonly string[], live = false): Promise<{ code: number; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-output-'));
  const file = await open(join(folder, 'output'), 'w+');
  const env = { ...process.env, PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}` };
  try {
    const program = supervise({ command, args, env, output: live ? process.stdout.fd : file.fd });
    const code = await program.ended;
    return { code, output: await readFile(join(folder, 'output'), 'utf8') };
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}
