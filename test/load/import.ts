import { join } from 'node:path';
import { printAlone, type Figure } from '../support/figures.ts';
import { measureCopyFloor } from './copy-lower-bound.ts';
import { timeImport } from './post-snapshot.ts';
import { peakMebibytes, resetPeak, servicePids } from '../support/process-memory.ts';
import { writeSnapshot } from './snapshot-file.ts';
import { openWorld, type BenchStack } from './bench-stack.ts';

const FLOOR = 'inflate, split, COPY';
const MAX_MEBIBYTES = 256;
const REPETITIONS = 3;

/** POST /v1/employees/imports from the first byte to applied, beside copying the same bytes; and the memory that it takes. */
export async function measureImports(world: BenchStack): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const employees of world.isSmoke ? [2_000] : [10_000, 100_000, 1_000_000]) {
    figures.push(...(await measureSize(world, employees)));
  }
  return figures;
}

async function measureSize(world: BenchStack, employees: number): Promise<Figure[]> {
  const [plain, changed] = [join(world.folder, `${employees}.gz`), join(world.folder, `${employees}-changed.gz`)];
  await writeSnapshot(plain, employees);
  await writeSnapshot(changed, employees, 100);
  const { write_key } = await world.account();
  const pids = await servicePids();
  const watched = ['gateway', 'import-reconciler'].map((name) => ({ name, pid: pids.get(name) ?? 0 }));
  for (const { pid } of watched) await resetPeak(pid);
  const step = (name: string, goal: number, files: readonly string[]) => measureStep(world, write_key, { name, goal, files });
  const label = employees.toLocaleString('en');
  const back = Array.from({ length: REPETITIONS }, (_, turn) => (turn % 2 === 0 ? changed : plain));
  const steps = [
    ...(await step(`${label} first`, 10, [plain])),
    ...(await step(
      `${label} unchanged`,
      3,
      Array.from({ length: REPETITIONS }, () => plain),
    )),
    ...(await step(`${label} with 1 % changed`, 3.5, back)),
  ];
  const memory = await Promise.all(
    watched.map(async ({ name, pid }): Promise<Figure> => {
      const ours = [await peakMebibytes(pid)];
      return { what: `${label}: most memory of ${name}`, unit: 'MiB', ours, goal: { atMost: MAX_MEBIBYTES } };
    }),
  );
  return [...steps, ...memory];
}

interface Step {
  readonly name: string;
  // Times the floor.
  readonly goal: number;
  readonly files: readonly string[];
}

async function measureStep(world: BenchStack, writeKey: string, { name, goal, files }: Step): Promise<Figure[]> {
  const [accepted, applied, floor]: [number[], number[], number[]] = [[], [], []];
  for (const file of files) {
    floor.push(await measureCopyFloor(world.pool, file));
    const { acceptedMs, appliedMs } = await timeImport(world, writeKey, file);
    accepted.push(acceptedMs);
    applied.push(appliedMs);
  }
  const beside = { what: FLOOR, values: floor };
  return [
    { what: `${name}: received and valid`, unit: 'ms', ours: accepted, beside },
    { what: `${name}: applied`, unit: 'ms', ours: applied, beside, goal: { atMost: goal } },
  ];
}

if (import.meta.main) await printAlone(async (started, isSmoke) => measureImports(await openWorld(started, isSmoke)));
