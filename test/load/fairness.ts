import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { writeSnapshot } from './snapshot-file.ts';
import type { World } from './world.ts';

const SMALL = 100;
const ALONE = 20;

/** An import of 100 employees while another account imports its whole workforce for the first time, beside the same import alone. */
export async function measureFairness(world: World): Promise<Figure[]> {
  const large = world.isSmoke ? 5_000 : 200_000;
  const files = [join(world.folder, 'small.gz'), join(world.folder, 'small-changed.gz')];
  const [plain = '', changed = ''] = files;
  await writeSnapshot(plain, SMALL);
  await writeSnapshot(changed, SMALL, 10);
  const whole = join(world.folder, 'large.gz');
  await writeSnapshot(whole, large);
  const [small, other] = [await world.account(), await world.account()];
  let turn = 0;
  const importSmall = (): Promise<number> => importAndWait(world, small.write_key, turn++ % 2 === 0 ? plain : changed);

  await importSmall();
  const alone = await repeat(ALONE, importSmall);
  const meanwhile: number[] = [];
  const running = { isOver: false };
  const largeMs = importAndWait(world, other.write_key, whole).finally(() => {
    running.isOver = true;
  });
  while (!running.isOver) {
    const ms = await importSmall();
    // One that the large import did not last for has had it easier.
    if (!running.isOver) meanwhile.push(ms);
  }
  alone.push(...(await repeat(ALONE, importSmall)));
  const beside = { what: 'alone', values: alone };
  return [
    {
      what: `${SMALL} employees while another account imports ${large.toLocaleString('en')}`,
      unit: 'ms',
      ours: meanwhile,
      beside,
      goal: { atMost: 2 },
    },
    { what: `the ${large.toLocaleString('en')} beside them`, unit: 'ms', ours: [await largeMs] },
  ];
}

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let n = 0; n < times; n++) values.push(await measure());
  return values;
}
