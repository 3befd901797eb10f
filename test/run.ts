import { CHECKS, tests, type Outcome, type CheckTask } from './check-tasks.ts';

const USAGE = `npm test -- [--only check|unit|system|faults|chart|cluster|image|outside] [--backend processes|containers] [--again] [arguments for vitest, such as -t LISTS-LIMIT-1 or a file's name]

--only faults: everything that takes part in an import, killed and paused. --only chart: the Helm charts; \`.ci/tools\` brings Helm and promtool. --only cluster: the chart on a Kubernetes API server, that of KUBECONFIG or a simulated one. --only image: the image and what the chart renders, on a Docker engine. --only outside: the packages that others install, packed and installed into empty projects; needs the npm registry.
--backend containers: the system tests run on PostgreSQL, NATS and Redis in containers of a Docker engine
--again: the files that failed are run once more, by themselves. What passes then is named at the end as unsteady, and is no failure.`;

const PARTS = ['check', 'unit', 'system', 'faults', 'chart', 'cluster', 'image', 'outside'] as const;

// Two at a time: checks and unit tests each need little more than one processor.
const LANES = 2;

process.chdir(new URL('..', import.meta.url).pathname);
const { only, backend, again, vitestArgs: args } = readArguments(process.argv.slice(2));
if (backend === 'containers') await useContainers();
const unit = tests('unit tests', 'unit', { again, args });
const system = tests('system tests', 'system', { live: true, again, args });
const chart = tests('chart tests', 'chart', { again, args });
const quick = {
  check: CHECKS,
  unit: [unit],
  system: [],
  faults: [],
  chart: [chart],
  cluster: [],
  image: [],
  outside: [],
  all: [unit, ...CHECKS],
}[only];

const started = Date.now();
const outcomes = await inLanes(quick);
// Sequential: some tests measure time.
if (only === 'system' || only === 'all') outcomes.push(await perform(system));
if (only === 'faults') outcomes.push(await perform(tests('fault tests', 'faults', { live: true, again, args })));
if (only === 'cluster') outcomes.push(await perform(tests('cluster tests', 'cluster', { live: true, again, args })));
if (only === 'outside') outcomes.push(await perform(tests('outside tests', 'outside', { live: true, again, args })));
if (only === 'image') {
  outcomes.push(await perform(tests('image tests', 'image', { live: true, again, args })));
  outcomes.push(await perform(tests('system tests through the image', 'through-image', { live: true, again, args })));
}
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
say(['', ...outcomes.flatMap(({ failures }) => failures)].join('\n'));
say(`${seconds(started)} in all\n${passed} passed, ${failed} failed`);
const found = outcomes.some(({ passed, skipped = 0 }) => passed + skipped > 0);
if (failed > 0 || !found) process.exitCode = 1;

type Only = (typeof PARTS)[number] | 'all';

type Backend = 'processes' | 'containers';

function readArguments(args: readonly string[]): { only: Only; backend: Backend; again: boolean; vitestArgs: string[] } {
  let only: Only = 'all';
  let again = false;
  let backend: Backend = 'processes';
  const vitestArgs: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const [flag, value = ''] = arg.split('=', 2);
    if (flag === '--only') only = readOnly(value || (args[++i] ?? ''));
    else if (flag === '--backend') backend = readBackend(value || (args[++i] ?? ''));
    else if (flag === '--again') again = true;
    else if (flag === '--help') stop(USAGE, 0);
    else vitestArgs.push(arg);
  }
  return { only, backend, again, vitestArgs };
}

function readOnly(value: string): Only {
  return PARTS.find((part) => part === value) ?? stop(`--only ${value}?\n${USAGE}`);
}

function readBackend(value: string): Backend {
  if (value === 'processes' || value === 'containers') return value;
  return stop(`--backend ${value}?\n${USAGE}`);
}

// Fails before anything else runs.
async function useContainers(): Promise<void> {
  const { whatIsMissing } = await import('./support/containers/what-is-missing.ts');
  const missing = await whatIsMissing();
  if (missing !== undefined) stop(missing);
  process.env['TEST_BACKEND'] = 'containers';
}

async function inLanes(steps: readonly CheckTask[]): Promise<Outcome[]> {
  const waiting = [...steps];
  const outcomes: Outcome[] = [];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) outcomes.push(await perform(step));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return outcomes;
}

async function perform(step: CheckTask): Promise<Outcome> {
  const started = Date.now();
  const outcome = await step.run();
  const count = outcome.passed + outcome.failed > 1 ? ` (${outcome.passed} passed, ${outcome.failed} failed)` : '';
  say(`${outcome.failed === 0 ? '✓' : '✗'} ${step.name}${count}  ${seconds(started)}`);
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
