import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
// Its tests run in one process. Of the files that are not listed here, too few changes are noticed.
const MASKING = 'packages/text/src/masking';
const MASKING_RULES = [
  'all-matches',
  'emails',
  'embedded-masker',
  'mask-employee',
  'mask-text',
  'names/evidence',
  'number-cues',
  'roster',
  'without-overlaps',
  'words',
].map((file) => `${MASKING}/${file}.ts`);
const STRYKER = join(ROOT, '.local', 'stryker');
const PACKAGES = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];
// What counts as rules there.
const RULES: Readonly<Record<string, readonly string[]>> = {
  'services/import-reconciler': ['src/rules/'],
  'services/scoring-anonymity': ['src/rules/'],
  'services/text-analysis': ['src/rules/'],
  'packages/formats': ['src/instant'],
};
// More would be faults that the tests miss, and not only changes that make no difference.
const MAX_UNNOTICED = 0.05;
const ALWAYS_ALLOWED = 3;
const TEMPORARY = '.stryker-tmp';
const HELP = `Changes the rules in small ways, such as < to <=, and runs the unit tests after each change. Prints the changes
that no test notices.

  npm run test:mutation -- [--since DATE] [FOLDER …] [FILE …]     all folders, unless told

${Object.entries(RULES)
  .map(([folder, prefixes]) => `  ${folder.padEnd(37)}${prefixes.join(', ')}`)
  .join('\n')}
  ${`${MASKING}/FILE`.padEnd(37)}one file of masking; unless told, those where enough is noticed

  --since DATE  only files that commits since then have changed, such as '1 day ago'

Installs Stryker into .local/stryker from the npm registry. All folders take 25 minutes.

Exit codes: 0 at most ${MAX_UNNOTICED * 100} % of the changes to a folder, or ${ALWAYS_ALLOWED}, went unnoticed; 1 more did; 2 wrong arguments.`;

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

// Not a dependency of the repository: it has more packages than all of ours, and runs at night.
function install(): void {
  if (existsSync(join(STRYKER, 'node_modules', '@stryker-mutator'))) return;
  mkdirSync(STRYKER, { recursive: true });
  writeFileSync(join(STRYKER, 'package.json'), '{ "private": true, "type": "module" }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: STRYKER, stdio: 'inherit' });
  // The tests must find the vitest that runs them.
  rmSync(join(STRYKER, 'node_modules', 'vitest'), { recursive: true, force: true });
  symlinkSync(join(ROOT, 'node_modules', 'vitest'), join(STRYKER, 'node_modules', 'vitest'));
}

function git(...args: string[]): string[] {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function changedOf(files: readonly string[], since: string | undefined): readonly string[] {
  if (since === undefined) return files;
  const changed = new Set(git('log', '--name-only', '--format=', `--since=${since}`));
  return files.filter((file) => changed.has(file));
}

function rulesOf(folder: string, since: string | undefined): string[] {
  return changedOf(git('ls-files', '--', folder), since)
    .map((file) => file.slice(folder.length + 1))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => RULES[folder]?.some((prefix) => file.startsWith(prefix)));
}

// Returns whether enough of the changes are noticed.
function mutate(folder: string, files: readonly string[]): boolean {
  const [config, report] = [join(STRYKER, 'config.json'), join(STRYKER, `${folder.replace('/', '-')}.json`)];
  const settings = {
    mutate: files,
    testRunner: 'vitest',
    plugins: [join(STRYKER, 'node_modules', '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js')],
    reporters: ['clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    tempDirName: TEMPORARY,
    concurrency: 2,
    vitest: { dir: folder.startsWith('services/') ? 'src/rules' : 'src' },
  };
  writeFileSync(config, JSON.stringify(settings));
  const cli = join(STRYKER, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  try {
    execFileSync(process.execPath, [cli, 'run', config], { cwd: join(ROOT, folder), stdio: 'inherit' });
  } finally {
    rmSync(join(ROOT, folder, TEMPORARY), { recursive: true, force: true });
  }
  const { files: judged } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  let [all, unnoticed] = [0, 0];
  for (const [file, { mutants }] of Object.entries(judged)) {
    const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError').length;
    const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    all += counted;
    unnoticed += counted - noticed;
    console.log(`${folder}/${file}: ${noticed} of ${counted} changes noticed`);
  }
  return unnoticed <= Math.max(ALWAYS_ALLOWED, MAX_UNNOTICED * all);
}

const { since, folders, masking } = readArguments();
const isTold = folders.length > 0 || masking.length > 0;
const maskingFiles = changedOf(isTold ? masking : MASKING_RULES, since);
const chosen = (isTold ? folders : Object.keys(RULES))
  .map((folder) => [folder, rulesOf(folder, since)] as const)
  .filter(([, files]) => files.length > 0);
if (chosen.length > 0 || maskingFiles.length > 0) install();
const missed = chosen.filter(([folder, files]) => !mutate(folder, files)).map(([folder]) => folder);
const program = join(import.meta.dirname, 'mutate-in-process.ts');
if (maskingFiles.length > 0) {
  const { status } = spawnSync(process.execPath, [program, MASKING, ...maskingFiles], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) missed.push(MASKING);
}
if (missed.length > 0) {
  console.error(`more than ${MAX_UNNOTICED * 100} % of the changes are not noticed in ${missed.join(', ')}`);
  process.exitCode = 1;
}

function readArguments(): { since: string | undefined; folders: string[]; masking: string[] } {
  const options = { since: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const masking = positionals.filter((file) => file.startsWith(MASKING));
  const folders = positionals.filter((folder) => !folder.startsWith(MASKING));
  const unknown = folders.find((folder) => !(folder in RULES));
  if (unknown !== undefined) console.error(`cannot change the rules of ${unknown}: no such folder, see --help`);
  if (values.help === true) console.log(HELP);
  if (values.help === true || unknown !== undefined) process.exit(unknown === undefined ? 0 : 2);
  return { since: values.since, folders, masking };
}
