import { join } from 'node:path';
import { inFolder } from '../../test/support/in-folder.ts';
import type { FaultOptions } from './fault-options.ts';
import { measureUnnoticed } from './unavailable-stores.ts';
import { fillData, fillLog, withFullBus } from './full-disks.ts';
import { somethingToRead } from './read-fixture.ts';
import { none, type Goal } from './goals.ts';
import { whyNoMounts } from './mounts.ts';
import { cutBusPower, STREAM_SUBJECTS } from './bus-power-cuts.ts';
import { cutPower } from './power-cuts.ts';

const CUTS = 5;
// Production settings, with files that fit on a small disk.
const DURABLE = { max_wal_size: '64MB', min_wal_size: '32MB' };

/**
 * Power cuts, with a control run on a server that does not wait for its disk, in which losses must
 * occur.
 */
export async function powerCut({ rounds }: FaultOptions): Promise<Goal[]> {
  return whereMountsAre('power-cut', async () => {
    const cuts = CUTS * rounds;
    const durable = await inFolder((folder) => cutPower(folder, cuts, DURABLE));
    for (const what of durable.lost) console.log(`  ✗ ${what}`);
    const withoutFsync = await inFolder((folder) => cutPower(folder, 2, { ...DURABLE, fsync: 'off' }));
    for (const what of withoutFsync.lost) console.log(`  expected without fsync: ${what}`);
    return [
      none(`${cuts} power cuts: accepted imports lost, or half there`, durable.lost.length, `of ${durable.promised}`),
      {
        what: '2 power cuts with fsync off (control): lost',
        figure: withoutFsync.lost.length,
        unit: '',
        target: { atLeast: 1 },
        anchor: `of ${withoutFsync.promised}`,
      },
    ];
  });
}

/** Power cuts of NATS, with a control run whose server does not sync what it acknowledges. */
export async function busPowerCut({ rounds }: FaultOptions): Promise<Goal[]> {
  return whereMountsAre('bus-power-cut', async () => {
    const cuts = CUTS * rounds;
    const synced = await inFolder((folder) => cutBusPower(folder, cuts, 'always'));
    const byDefault = await inFolder((folder) => cutBusPower(folder, 1, '2m'));
    return Object.keys(STREAM_SUBJECTS).flatMap((stream) => [
      none(`${cuts} power cuts: acknowledged messages of ${stream} lost`, synced.lost[stream] ?? 0, `of ${synced.acknowledged}`),
      {
        what: `a power cut with NATS's default (control): messages of ${stream} lost`,
        figure: byDefault.lost[stream] ?? 0,
        unit: '',
        target: { atLeast: 1 },
        anchor: `of ${byDefault.acknowledged}`,
      },
    ]);
  });
}

export async function diskFull({ seconds }: FaultOptions): Promise<Goal[]> {
  const forMs = seconds * 1_000;
  return whereMountsAre('disk-full', async () => [
    ...(await inFolder((folder) => fillData({ folder, forMs }))),
    ...(await inFolder((folder) => fillLog({ folder, forMs }))),
    ...(await inFolder((folder) =>
      withFullBus({ folder, forMs }, async (stack, outage) =>
        measureUnnoticed(outage, { stack, readable: await somethingToRead(stack), forMs }),
      ),
    )),
  ]);
}

async function whereMountsAre(part: string, measure: () => Promise<Goal[]>): Promise<Goal[]> {
  const missing = await inFolder((folder) => whyNoMounts(join(folder, 'mount')));
  if (missing === undefined) return measure();
  console.log(`${part} is skipped because file systems cannot be mounted: ${missing}`);
  return [];
}
