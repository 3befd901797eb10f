import { join } from 'node:path';
import { millisecondsOf, percentileOf, repeatWhile, type Figure } from '../support/figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { metricOf, servicePids } from '../support/process-memory.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { get, type BenchStack } from './bench-stack.ts';

const SMALL = 100;
const ALONE = 20;
const READS_ALONE = 500;

/**
 * Measures small imports and pages of other accounts during a large first import, beside the same
 * alone.
 */
export async function measureFairness(bench: BenchStack): Promise<Figure[]> {
  const large = bench.isSmoke ? 5_000 : 200_000;
  const whole = join(bench.folder, 'large.gz');
  await writeSnapshot(whole, large);
  const importLarge = async (): Promise<number> => importAndWait(bench, (await bench.account()).write_key, whole);
  const small = await bench.account();
  const meanwhile = `while another account imports ${large.toLocaleString('en')}`;
  return [
    ...(await measureImports(bench, small.write_key, meanwhile, importLarge)),
    ...(await measureReads(bench, small.read_key, meanwhile, importLarge)),
  ];
}

async function measureImports(
  bench: BenchStack,
  writeKey: string,
  meanwhile: string,
  importLarge: () => Promise<number>,
): Promise<Figure[]> {
  const [plain, changed] = [join(bench.folder, 'small.gz'), join(bench.folder, 'small-changed.gz')];
  await writeSnapshot(plain, SMALL);
  await writeSnapshot(changed, SMALL, 10);
  let turn = 0;
  const importSmall = (): Promise<number> => importAndWait(bench, writeKey, turn++ % 2 === 0 ? plain : changed);
  await importSmall();
  const alone = await repeat(ALONE, importSmall);
  const beside = await repeatWhile(importLarge, importSmall);
  alone.push(...(await repeat(ALONE, importSmall)));
  return [
    {
      what: `${SMALL} employees ${meanwhile}`,
      unit: 'ms',
      ours: beside.values,
      beside: { what: 'alone', values: alone },
      goal: { atMost: 2 },
    },
    { what: 'the large import meanwhile', unit: 'ms', ours: [beside.ms] },
  ];
}

async function measureReads(
  { stack }: BenchStack,
  readKey: string,
  meanwhile: string,
  importLarge: () => Promise<number>,
): Promise<Figure[]> {
  const read = (): Promise<number> => millisecondsOf(() => get(`${stack.gateway_url}/v1/employees?limit=100`, readKey));
  const pid = (await servicePids()).get('import-reconciler') ?? 0;
  await repeat(ALONE, read);
  const alone = await repeat(READS_ALONE, read);
  await metricOf(pid, LOOP_DELAY);
  const { values } = await repeatWhile(importLarge, read);
  const delay = (await metricOf(pid, LOOP_DELAY)) * 1_000 - BETWEEN_LOOKS_MS;
  const idle = { what: 'alone', values: [percentileOf(alone, 99)] };
  return [
    {
      what: `p99 of a page of employees ${meanwhile}`,
      unit: 'ms',
      ours: [percentileOf(values, 99)],
      beside: idle,
      goal: { atMost: 3 },
    },
    { what: 'p99 of the event-loop delay of import-reconciler meanwhile', unit: 'ms', ours: [delay], goal: { atMost: 20 } },
  ];
}

// Each read of the metrics resets it. It is the interval between two samples of the loop; 10 ms
// when idle.
const LOOP_DELAY = 'nodejs_eventloop_lag_p99_seconds';
const BETWEEN_LOOKS_MS = 10;

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let n = 0; n < times; n++) values.push(await measure());
  return values;
}
