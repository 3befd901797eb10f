import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Changes the rules of services in small ways, and counts the changes that their unit tests do not
// notice:
// npm run test:mutation -- [services/import-reconciler …]

const ROOT = join(import.meta.dirname, '..');
const STRYKER = join(ROOT, '.local', 'stryker');
const PACKAGES = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];
const SERVICES = ['services/import-reconciler', 'services/scoring-anonymity', 'services/text-analysis'];
const TEMPORARY = '.stryker-tmp';

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

function mutate(service: string): void {
  const [config, report] = [join(STRYKER, 'config.json'), join(STRYKER, `${service.replace('/', '-')}.json`)];
  const settings = {
    mutate: ['src/rules/*.ts', '!src/rules/*.test.ts'],
    testRunner: 'vitest',
    plugins: [join(STRYKER, 'node_modules', '@stryker-mutator', 'vitest-runner', 'dist', 'src', 'index.js')],
    reporters: ['clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    tempDirName: TEMPORARY,
    concurrency: 2,
    vitest: { dir: 'src/rules' },
  };
  writeFileSync(config, JSON.stringify(settings));
  const cli = join(STRYKER, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  try {
    execFileSync(process.execPath, [cli, 'run', config], { cwd: join(ROOT, service), stdio: 'inherit' });
  } finally {
    rmSync(join(ROOT, service, TEMPORARY), { recursive: true, force: true });
  }
  const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const [file, { mutants }] of Object.entries(files)) {
    const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError');
    const killed = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout');
    console.log(`${service}/${file}: ${killed.length} of ${counted.length} changes noticed`);
  }
}

install();
const chosen = process.argv.slice(2);
for (const service of chosen.length > 0 ? chosen : SERVICES) mutate(service);
