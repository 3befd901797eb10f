import { join } from 'node:path';
import { printAlone, type Figure } from '../support/figures.ts';
import { measureCopyLowerBound } from './copy-lower-bound.ts';
import { measureSqlLowerBound } from './sql-lower-bound.ts';
import { timeImport } from './post-snapshot.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { openBenchStack, type BenchStack } from './bench-stack.ts';
import { measureSmallImports } from './small-imports.ts';

const LOWER_BOUND = 'inflate, split, COPY';
const SQL_LOWER_BOUND = 'the same rows by SQL';
// Multiple of the second lower bound.
const MAX_SQL_RATIO = 2;
const REPETITIONS = 3;
// Multiples of the lower bound. The number of statements weighs more in small imports.
const SMALL = { first: 14, unchanged: 2.5, changed: 3.5 };
const LARGE = { first: 14, unchanged: 2, changed: 3 };
// Below the default deletion threshold.
const KEPT_SHARE = 0.85;

/**
 * Measures imports from the first byte until applied, beside copying the same bytes and beside
 * writing the same rows.
 */
export async function measureImports(bench: BenchStack): Promise<Figure[]> {
  const figures: Figure[] = [];
  const sizes = bench.isSmoke ? [2_000] : [10_000, 100_000, 1_000_000];
  for (const employees of sizes) figures.push(...(await measureSize(bench, employees)));
  return [...figures, ...(await measureSmallImports(bench))];
}

async function measureSize(bench: BenchStack, employees: number): Promise<Figure[]> {
  const [plain, changed] = [join(bench.folder, `${employees}.gz`), join(bench.folder, `${employees}-changed.gz`)];
  await writeSnapshot(plain, employees);
  await writeSnapshot(changed, employees, 100);
  const fewer = join(bench.folder, `${employees}-fewer.gz`);
  await writeSnapshot(fewer, employees * KEPT_SHARE);
  const { write_key } = await bench.account();
  const step = (name: string, goal: number | undefined, files: readonly string[]) =>
    measureStep(bench, write_key, { name, goal, files });
  const goals = employees <= 10_000 ? SMALL : LARGE;
  const label = employees.toLocaleString('en');
  const back = Array.from({ length: REPETITIONS }, (_, turn) => (turn % 2 === 0 ? changed : plain));
  const steps = [
    ...(await step(`${label} first`, goals.first, [plain])),
    await measureBesideSql(bench, label, plain),
    ...(await step(
      `${label} unchanged`,
      goals.unchanged,
      Array.from({ length: REPETITIONS }, () => plain),
    )),
    ...(await step(`${label} with 1 % changed`, goals.changed, back)),
  ];
  return [...steps, ...(await step(`${label} with 15 % offboarded`, undefined, [fewer]))];
}

async function measureBesideSql(bench: BenchStack, label: string, file: string): Promise<Figure> {
  const beside = { what: SQL_LOWER_BOUND, values: [await measureSqlLowerBound(bench.pool, file)] };
  const { write_key } = await bench.account();
  const { appliedMs } = await timeImport(bench, write_key, file);
  return { what: `${label} first, again: applied`, unit: 'ms', ours: [appliedMs], beside, goal: { atMost: MAX_SQL_RATIO } };
}

interface Step {
  readonly name: string;
  // Multiple of the lower bound.
  readonly goal: number | undefined;
  readonly files: readonly string[];
}

async function measureStep(bench: BenchStack, writeKey: string, { name, goal, files }: Step): Promise<Figure[]> {
  const [accepted, applied, lowerBound]: [number[], number[], number[]] = [[], [], []];
  for (const file of files) {
    lowerBound.push(await measureCopyLowerBound(bench.pool, file));
    const { acceptedMs, appliedMs } = await timeImport(bench, writeKey, file);
    accepted.push(acceptedMs);
    applied.push(appliedMs);
  }
  const beside = { what: LOWER_BOUND, values: lowerBound };
  return [
    { what: `${name}: received and valid`, unit: 'ms', ours: accepted, beside },
    { what: `${name}: applied`, unit: 'ms', ours: applied, beside, ...(goal !== undefined && { goal: { atMost: goal } }) },
  ];
}

if (import.meta.main) await printAlone(async (started, isSmoke) => measureImports(await openBenchStack(started, isSmoke)));
