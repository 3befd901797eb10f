import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { millisecondsOf, percentileOf, type Figure } from '../../support/figures.ts';
import { processorSecondsByName } from '../../support/processor-time.ts';
import { seededRandom } from '../../support/random.ts';
import { get, type BenchStack } from '../bench-stack.ts';
import { importAndWait } from '../post-snapshot.ts';
import { writeSnapshot } from '../snapshot-file.ts';
import {
  drawCustomers,
  fitLine,
  predictNight,
  type Customer,
  type Line,
  type Night,
  type NightCosts,
  type NightWork,
  type Customers,
} from './model.ts';

const PAGE = 1_000;
const PROCESSORS = 2;
// A typical customer has 3,000 employees, two in three have between 670 and 13,000.
const CUSTOMERS: Customers = { median: 3_000, spread: 1.5, smallest: 100, largest: 300_000, windowSeconds: 7_200, changed: 0.1 };
const PREDICTED = [100, 300, 1_000, 3_000];

/**
 * Measures what imports and exports cost by size, predicts a night of many customers from it, and
 * compares a scaled-down night in real time with its prediction.
 */
export async function measureNight(bench: BenchStack): Promise<Figure[]> {
  // Before there are accounts, which PostgreSQL would vacuum meanwhile.
  const idle = await processorsWhile(() => sleep(bench.isSmoke ? 1_000 : 10_000));
  const costs = await measureCosts(bench, idle, bench.isSmoke ? [100, 400] : [100, 1_000, 10_000, 30_000]);
  const scaled = bench.isSmoke
    ? { ...CUSTOMERS, median: 100, smallest: 10, largest: 400, windowSeconds: 3 }
    : { ...CUSTOMERS, median: CUSTOMERS.median / 10, smallest: 10, largest: CUSTOMERS.largest / 10, windowSeconds: 72 };
  const customers = drawCustomers(bench.isSmoke ? 4 : 100, scaled, seededRandom(1));
  const measured = await spendNight(bench, idle, customers, () => 'export');
  const share = await conditionalShare(
    bench,
    idle,
    bench.isSmoke ? scaled : { ...CUSTOMERS, largest: 30_000, windowSeconds: 60 },
  );
  return [
    ...PREDICTED.flatMap((count) => predictionOf(costs, count)),
    ...comparisonOf(measured, predictNight(costs, customers, PROCESSORS)),
    { what: 'conditional exports: share of processor time', unit: 'x', ours: [share], goal: { atMost: 0.7 } },
  ];
}

// Measured with fewer customers, but of their sizes: customers of a tenth save less, because much
// of an import costs the same whatever its size.
async function conditionalShare(bench: BenchStack, idle: Used, sizes: Customers): Promise<number> {
  const customers = drawCustomers(bench.isSmoke ? 4 : 30, sizes, seededRandom(1));
  const whole = await spendNight(bench, idle, customers, () => 'export');
  const conditional = await spendNight(bench, idle, customers, ({ isChanged }) => (isChanged ? 'export' : 'exportIfChanged'));
  return sumOf(conditional.processorSeconds) / sumOf(whole.processorSeconds);
}

function predictionOf(costs: NightCosts, count: number): Figure[] {
  const drawn = drawCustomers(count, CUSTOMERS, seededRandom(count));
  const night = predictNight(costs, drawn, PROCESSORS);
  const total = sumOf(night.processorSeconds);
  const size = count;
  const customers = `${count.toLocaleString('en')} customers`;
  return [
    ...Object.entries(night.processorSeconds)
      .filter(([, seconds]) => seconds > total / 100)
      .map(([name, seconds]): Figure => ({ what: `${name}: ${customers}`, unit: 's of CPU', ours: [seconds], size })),
    { what: `all: ${customers}`, unit: 's of CPU', ours: [total], size },
    { what: `processors in the busiest five minutes, ${customers}`, unit: 'x', ours: [night.busiest ?? 0] },
    { what: `p95 of an import, ${customers}`, unit: 's', ours: [percentileOf(night.importSeconds, 95)] },
  ];
}

const sumOf = (processors: Readonly<Record<string, number>>): number =>
  Object.values(processors).reduce((sum, seconds) => sum + seconds, 0);

// A prediction is within 25 % when neither is above 1.25 times the other.
function comparisonOf(measured: Night, predicted: Night): Figure[] {
  const sum = (night: Night): number => sumOf(night.processorSeconds);
  const compared: [what: string, unit: Figure['unit'], of: (night: Night) => number][] = [
    ['processor time', 's of CPU', sum],
    ['mean import', 's', ({ importSeconds }) => meanOf(importSeconds)],
    ['end of the last export', 's', ({ endsAt }) => endsAt],
  ];
  const processes = Object.entries(measured.processorSeconds)
    .filter(([, seconds]) => seconds > sum(measured) / 100)
    .map(([name, seconds]): Figure => {
      const beside = { what: 'prediction', values: [predicted.processorSeconds[name] ?? 0] };
      return { what: `scaled-down night, ${name}`, unit: 's of CPU', ours: [seconds], beside };
    });
  const errors = compared.flatMap(([what, unit, of]): Figure[] => {
    const [ours, expected] = [of(measured), of(predicted)];
    return [
      { what: `scaled-down night, ${what}`, unit, ours: [ours], beside: { what: 'prediction', values: [expected] } },
      {
        what: `scaled-down night, ${what}: error`,
        unit: 'x',
        ours: [Math.max(ours / expected, expected / ours)],
        goal: { atMost: 1.25 },
      },
    ];
  });
  return [...processes, ...errors];
}

const ACCOUNTS = 6;
// As between the customers of the scaled-down night: processors and caches cool down as much.
const PAUSE_MS = 700;
const SMOKE_PAUSE_MS = 100;

async function measureCosts(bench: BenchStack, idle: Used, sizes: readonly number[]): Promise<NightCosts> {
  const samples: Record<NightWork, Sample[]> = { unchanged: [], changed: [], export: [] };
  for (const employees of sizes) {
    const nights: PreparedNight[] = [];
    const accounts = Math.max(ACCOUNTS, Math.round(2_000 / employees));
    while (nights.length < accounts) nights.push(await prepare(bench, { employees, sendsAt: 0, isChanged: false }));
    const work = {
      unchanged: (night: PreparedNight) => night.import(false),
      changed: (night: PreparedNight) => night.import(true),
      export: (night: PreparedNight) => night.export(),
    };
    const pauseMs = bench.isSmoke ? SMOKE_PAUSE_MS : PAUSE_MS;
    for (const kind of ['unchanged', 'changed', 'export'] as const)
      samples[kind].push(await sampleOf(nights, { idle, pauseMs }, work[kind]));
  }
  return Object.fromEntries(Object.entries(samples).map(([kind, each]) => [kind, lineOf(each)])) as NightCosts;
}

interface Sample {
  readonly employees: number;
  readonly seconds: number;
  readonly processors: Readonly<Record<string, number>>;
}

interface Used {
  readonly seconds: number;
  readonly processors: Readonly<Record<string, number>>;
}

// Each account does the work once, as in a night: a second time would find everything in caches.
// The time that all processes use when idle is left out: a night pays it once, whatever its
// imports. The pause lets what follows an import end before the next one.
async function sampleOf(
  nights: readonly PreparedNight[],
  { idle, pauseMs }: { readonly idle: Used; readonly pauseMs: number },
  work: (night: PreparedNight) => Promise<unknown>,
): Promise<Sample> {
  const employees = nights[0]?.customer.employees ?? 0;
  const durations: number[] = [];
  const used = await processorsWhile(async () => {
    for (const night of nights) {
      durations.push(await millisecondsOf(() => work(night)));
      await sleep(pauseMs);
    }
  });
  return {
    employees,
    seconds: meanOf(durations) / 1_000,
    processors: Object.fromEntries(Object.entries(netOf(used, idle)).map(([name, seconds]) => [name, seconds / nights.length])),
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function netOf(used: Used, idle: Used): Record<string, number> {
  const idleShare = used.seconds / idle.seconds;
  return Object.fromEntries(
    Object.entries(used.processors).map(([name, seconds]) => [
      name,
      Math.max(0, seconds - (idle.processors[name] ?? 0) * idleShare),
    ]),
  );
}

function lineOf(samples: readonly Sample[]): Line {
  const names = Object.keys(samples[0]?.processors ?? {});
  const fit = (of: (sample: Sample) => number): [number, number] =>
    fitLine(samples.map((sample) => [sample.employees, of(sample)]));
  return {
    seconds: fit(({ seconds }) => seconds),
    processors: Object.fromEntries(names.map((name) => [name, fit(({ processors }) => processors[name] ?? 0)])),
  };
}

async function processorsWhile(work: () => Promise<unknown>): Promise<Used> {
  const [before, startedAt] = [await processorSecondsByName(), performance.now()];
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await processorSecondsByName();
  return { seconds, processors: Object.fromEntries(Object.entries(after).map(([name, at]) => [name, at - (before[name] ?? 0)])) };
}

interface PreparedNight {
  readonly customer: Customer;
  import(isChanged: boolean): Promise<number>;
  export(): Promise<void>;
  /** Asks for the first page as it was before the night. */
  exportIfChanged(): Promise<unknown>;
}

// An account whose first import is over, with the snapshots that it will send.
async function prepare(bench: BenchStack, customer: Customer): Promise<PreparedNight> {
  const { employees } = customer;
  const [plain, changed] = [join(bench.folder, `night-${employees}.gz`), join(bench.folder, `night-${employees}-changed.gz`)];
  await writeSnapshot(plain, employees);
  await writeSnapshot(changed, employees, 100);
  const { write_key, read_key } = await bench.account();
  await importAndWait(bench, write_key, plain);
  const page = (offset: number, etag?: string) =>
    get(`${bench.stack.gateway_url}/v1/employees?limit=${PAGE}&offset=${offset}`, read_key, etag);
  const { etag = '' } = (await page(0)).headers;
  return {
    customer,
    import: (isChanged) => importAndWait(bench, write_key, isChanged ? changed : plain),
    export: async () => {
      for (let offset = 0; offset < employees; offset += PAGE) await page(offset);
    },
    exportIfChanged: () => page(0, etag),
  };
}

async function spendNight(
  bench: BenchStack,
  idle: Used,
  customers: readonly Customer[],
  readOf: (customer: Customer) => 'export' | 'exportIfChanged',
): Promise<Night> {
  const nights: PreparedNight[] = [];
  for (const customer of customers) nights.push(await prepare(bench, customer));
  const importSeconds: number[] = [];
  const startedAt = performance.now();
  const used = await processorsWhile(() =>
    Promise.all(
      nights.map(async (night) => {
        await sleep(night.customer.sendsAt * 1_000 - (performance.now() - startedAt));
        importSeconds.push((await night.import(night.customer.isChanged)) / 1_000);
        await night[readOf(night.customer)]();
      }),
    ),
  );
  return { processorSeconds: netOf(used, idle), importSeconds, endsAt: used.seconds };
}
