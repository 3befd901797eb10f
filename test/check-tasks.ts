import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervise } from '@survey/local/supervise.ts';
import { z } from 'zod';
import { whatIsMissing, type Project } from './prerequisites.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIN = join(ROOT, 'node_modules', '.bin');

export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  // Output of a failed task; empty when already shown.
  readonly output: string;
  // One line per failure, per test that passed only on retry ("unsteady: …"), and per reason why
  // tests cannot run on this machine ("skipped: …"); printed at the end of the log.
  readonly findings: readonly string[];
}

export interface CheckTask {
  readonly name: string;
  run(): Promise<Outcome>;
}

// A command that passes when it exits with 0.
const check = (name: string, command: string, ...args: string[]): CheckTask => ({
  name,
  run: async () => {
    const { code, output } = await exec(command, args, false, FRUGAL);
    return code === 0 ? PASSED : { passed: 0, failed: 1, output, findings: [`failed: ${name}`] };
  },
});

// Go programs: another thread would repeat part of the work, on a processor that the tests use.
const FRUGAL = { GOMAXPROCS: '1', GOGC: '400' };

const PASSED: Outcome = { passed: 1, failed: 0, output: '', findings: [] };

const CURRENT = 'generated code is current';

export const CHECKS: readonly CheckTask[] = [
  check('types and lint', 'oxlint', '--type-aware', '--type-check'),
  check('format', 'oxfmt', '--list-different', '.'),
  check('references, rules and line width', 'node', 'test/checks/references.ts'),
  check('bounds of lists', 'node', 'test/checks/bounds.ts'),
  check('causes of errors', 'node', 'test/checks/causes.ts'),
  check('limits', 'node', 'test/checks/limits.ts'),
  check('proto lint', 'buf', 'lint'),
  check('messages that the newest release understands', 'buf', 'breaking', '--against', 'proto/released.binpb'),
  { name: CURRENT, run: generatedCodeIsCurrent },
];

async function generatedCodeIsCurrent(): Promise<Outcome> {
  const fresh = await mkdtemp(join(tmpdir(), 'survey-gen-'));
  try {
    const generated = await exec('buf', ['generate', '--output', fresh]);
    if (generated.code !== 0) return { passed: 0, failed: 1, output: generated.output, findings: [`failed: ${CURRENT}`] };
    const kept = 'proto/gen';
    const { code, output } = await exec('diff', ['--recursive', '--brief', join(fresh, kept), join(ROOT, kept)]);
    if (code === 0) return PASSED;
    const what = 'proto/gen is not what proto/ generates: run `npm run generate`';
    return { passed: 0, failed: 1, output: `${output}\n${what}`, findings: [`failed: ${what}`] };
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * The tests of one vitest project. `live` streams progress; otherwise only failures are shown.
 * `again` reruns failed files on their own; tests that then pass are reported as unsteady.
 */
export function tests(
  name: string,
  project: Project,
  { live = false, again = false, args }: { live?: boolean; again?: boolean; args: readonly string[] },
): CheckTask {
  return {
    name,
    run: async () => {
      const missing = await whatIsMissing(project);
      if (missing !== undefined) return { passed: 0, failed: 0, output: '', findings: [`skipped: ${name}: ${missing}`] };
      const first = await runVitest(project, live, args);
      if (!again || first.failed === 0) return first;
      // What ended badly without a failed file may lie in any of them.
      const second = await runVitest(project, live, first.failedFiles.length > 0 ? first.failedFiles : args);
      const unsteady = first.findings
        .filter((finding) => !second.findings.includes(finding))
        .map((finding) => finding.replace(/^failed/, 'unsteady'));
      return { ...second, passed: first.passed + first.failed - second.failed, findings: [...second.findings, ...unsteady] };
    },
  };
}

interface TestsOutcome extends Outcome {
  readonly failedFiles: readonly string[];
}

const assertion = z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()).nullish() });

const report = z.object({
  numPassedTests: z.int(),
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), message: z.string().nullish(), assertionResults: z.array(assertion) }),
  ),
});

async function runVitest(project: string, live: boolean, args: readonly string[]): Promise<TestsOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-vitest-'));
  const file = join(folder, 'report.json');
  const skippedFile = join(folder, 'skipped');
  // vitest.config.ts defines some projects and the reporters only for these runs.
  const env = { TEST_PROJECT: project, SKIPPED_FILE: skippedFile };
  try {
    // A requested file belongs to only one of the two projects.
    const options = args.length > 0 ? ['--passWithNoTests', ...args] : [];
    const { code, output } = await exec(
      'vitest',
      ['run', '--project', project, `--outputFile.json=${file}`, ...options],
      live,
      env,
    );
    const { passed, failures, failedFiles } = await readReport(file);
    // Something outside any test can fail too, such as the start of PostgreSQL.
    if (code !== 0 && failures.length === 0) failures.push(`failed: ${project} tests: ended with code ${code}`);
    // Every worker that loads a file reports it.
    const skipped = new Set((await readFile(skippedFile, 'utf8').catch(() => '')).split('\n').filter(Boolean));
    const findings = [...failures, ...skipped];
    return { passed, failed: failures.length, output: code === 0 ? '' : output, findings, failedFiles };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readReport(file: string): Promise<{ passed: number; failures: string[]; failedFiles: string[] }> {
  const written = await readFile(file, 'utf8').catch(() => undefined);
  if (written === undefined) return { passed: 0, failures: [], failedFiles: [] };
  const { numPassedTests, testResults } = report.parse(JSON.parse(written));
  const failed = testResults.filter(({ status }) => status === 'failed');
  const failures = failed.flatMap(({ name, message, assertionResults }) => {
    const where = relative(ROOT, name);
    const reasons = assertionResults.filter(({ status }) => status === 'failed');
    // A file that cannot be loaded, or whose hook failed, has no failed tests.
    if (reasons.length === 0) return [`failed: ${where} > ${firstLine(message) || 'a hook failed, see above'}`];
    return reasons.map(({ fullName, failureMessages }) => `failed: ${where} > ${fullName}: ${firstLine(failureMessages?.[0])}`);
  });
  return { passed: numPassedTests, failures, failedFiles: failed.map(({ name }) => name) };
}

const firstLine = (message: string | null | undefined): string => message?.split('\n', 1)[0] ?? '';

// Output goes to a file: Rust programs inside Node, such as oxlint, panic when a pipe is full.
async function exec(
  command: string,
  args: readonly string[],
  live = false,
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-output-'));
  const file = await open(join(folder, 'output'), 'w+');
  const env = { ...process.env, ...more, PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}` };
  try {
    const program = supervise({ command, args, env, output: live ? process.stdout.fd : file.fd });
    const code = await program.ended;
    return { code, output: await readFile(join(folder, 'output'), 'utf8') };
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}
