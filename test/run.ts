import { parseArgs } from 'node:util';
import { CHECKS, tests, type CheckTask, type Outcome } from './check-tasks.ts';
import type { Project } from './prerequisites.ts';
import { readYear } from './support/year-log.ts';

const USAGE = `Checks the sources, then runs unit tests and system tests.

  npm test -- [--only PART] [--backend BACKEND] [--again] [FILE or option of vitest, such as -t LISTS-LIMIT-1]

  --only PART          run one part
    check              types, lint, format, documents and generated files
    unit               tests without servers
    system             tests of the whole service over HTTP
    proofs             what takes minutes: faults, budgets of memory and time, fuzzing, many random histories
    faults             imports and erasures whose processes are killed and paused
    chart              Helm charts; needs Helm 3
    cluster            the chart on the Kubernetes API server of KUBECONFIG
    image              the container image and what the chart renders, on a Docker engine
    outside            the packages for other projects, installed into empty ones from the npm registry
  --backend BACKEND    run the system tests on
    processes          PostgreSQL, NATS and Redis as processes (default)
    containers         containers of a Docker engine
    citus              the Citus cluster of CITUS_URL, superuser URL of a coordinator's database without tables
  --again              run failed files once more alone; what passes then is reported as unsteady

Exit codes: 0 all passed, 1 a test failed or none was found, 2 wrong arguments. What cannot run here is skipped, with the reason at the end.`;

// Vitest projects of each part, of which one runs at a time.
const PROJECTS = {
  check: [],
  unit: ['unit'],
  chart: ['chart'],
  system: ['system'],
  proofs: ['proofs'],
  faults: ['faults'],
  cluster: ['cluster'],
  outside: ['outside'],
  image: ['image', 'through-image'],
  all: ['system'],
} as const satisfies Record<string, readonly Project[]>;

// Only failures are shown of these.
const QUIET: readonly Project[] = ['unit', 'chart'];

const BACKENDS = ['processes', 'containers', 'citus'] as const;

process.chdir(new URL('..', import.meta.url).pathname);
const { only, again, args } = readArguments(process.argv.slice(2));
const started = Date.now();
const projects: readonly Project[] = PROJECTS[only];
const more: readonly Project[] = process.env['TEST_BACKEND'] === 'citus' && projects.includes('system') ? ['citus'] : [];
const vitest = (project: Project): CheckTask =>
  tests(`${project} tests`, project, { live: !QUIET.includes(project), again, args });
// Checks and unit tests use the time in which system tests wait for their servers.
const others = only === 'check' ? CHECKS : only === 'all' ? [...CHECKS, vitest('unit')] : [];
const outcomes = await Promise.all([perform([...projects, ...more].map(vitest)), perform(others, only === 'check' ? 2 : 1)]).then(
  (both) => both.flat(),
);
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
say(['', ...outcomes.flatMap(({ findings }) => findings)].join('\n'));
if (only === 'cluster') say(readYear());
say(`${seconds(started)} in all\n${passed} passed, ${failed} failed`);
const found = outcomes.some(({ passed, findings }) => passed > 0 || findings.length > 0);
if (failed > 0 || !found) process.exitCode = 1;

type Only = keyof typeof PROJECTS;

function readArguments(given: string[]): { only: Only; again: boolean; args: string[] } {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = { only: { ...text, default: 'all' }, backend: { ...text, default: 'processes' }, again: flag, help: flag };
  const { values, tokens } = parseArgs({ args: given, options, strict: false, tokens: true });
  if (values.help === true) stop(USAGE, 0);
  const backend = BACKENDS.find((name) => name === values.backend) ?? stop(`--backend ${values.backend}?\n${USAGE}`);
  process.env['TEST_BACKEND'] = backend;
  const only = Object.keys(PROJECTS).find((part): part is Only => part === values.only);
  if (only === undefined) stop(`--only ${values.only}?\n${USAGE}`);
  const own = tokens.flatMap((token) => {
    if (token.kind !== 'option' || !(token.name in options)) return [];
    return token.inlineValue === false ? [token.index, token.index + 1] : [token.index];
  });
  const args = given.filter((_, index) => !own.includes(index));
  const part = args.find((arg) => arg in PROJECTS);
  if (part !== undefined) stop(`--only takes one part: run ${part} by itself\n${USAGE}`);
  return { only, again: values.again === true, args };
}

async function perform(tasks: readonly CheckTask[], atATime = 1): Promise<Outcome[]> {
  const waiting = [...tasks];
  const outcomes: Outcome[] = [];
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) outcomes.push(await performOne(task));
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return outcomes;
}

async function performOne(task: CheckTask): Promise<Outcome> {
  const started = Date.now();
  const outcome = await task.run();
  const { passed, failed } = outcome;
  const count = passed + failed > 1 ? ` (${passed} passed, ${failed} failed)` : '';
  const sign = failed > 0 ? '✗' : passed > 0 ? '✓' : '–';
  say(`${sign} ${task.name}${count}${sign === '–' ? ' did not run' : ''}  ${seconds(started)}`);
  if (outcome.output !== '') say(outcome.output);
  return outcome;
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function stop(message: string, code = 2): never {
  say(message);
  process.exit(code);
}
