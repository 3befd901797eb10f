import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../support/figures.ts';
import { openOrganisation, surveyctl } from './organisation.ts';
import { peakMebibytes, resetPeak, servicePids } from '../support/process-memory.ts';
import { openWorld, type BenchStack } from './bench-stack.ts';

const TICKS_PER_SECOND = 100;
// 60 % of 384 MiB: what the chart gives to text-analysis. Without any limit Node lets garbage lie while the machine has memory.
const HEAP = '--max-old-space-size=230';

/** Masking, topics and sentiment of what a whole workforce wrote, from the moment they are switched on: answers for a second of processor time, and memory. */
export async function measureTextStages(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  process.env['NODE_OPTIONS'] = HEAP;
  started.defer(() => void delete process.env['NODE_OPTIONS']);
  const world = await openWorld(started, isSmoke);
  const employees = isSmoke ? 300 : 100_000;
  const { account_id } = await openOrganisation(world, { employees, months: 1 });
  const pid = (await servicePids()).get('text-analysis') ?? 0;
  await resetPeak(pid);
  const before = await processorSeconds(pid);
  const on = ['--masking-entitled', 'true', '--masking', 'on', '--categorisation', 'on'];
  await surveyctl(world, 'settings', 'set', '--account', String(account_id), ...on);
  const answers = await untilDone(world, account_id);
  const seconds = (await processorSeconds(pid)) - before;
  return [
    {
      what: `all stages of ${answers} answers, roster of ${employees}`,
      unit: 'answers/s of CPU',
      ours: [answers / seconds],
      goal: { atLeast: 1_500 },
    },
    {
      what: 'most memory of text-analysis meanwhile, with the heap of the chart',
      unit: 'MiB',
      ours: [await peakMebibytes(pid)],
      goal: { atMost: 300 },
    },
  ];
}

// User and system time; the name of the process, in brackets, may hold anything.
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const DONE = `
select s.answers, count(*) filter (where p.version is not null and p.enqueued_below >= s.answers) as planned,
  (select count(*) from text.pending w where w.account_id = s.account_id) as pending
from text.account_state s left join text.backfill p on p.account_id = s.account_id
where s.account_id = $1 group by s.account_id, s.answers`;

async function untilDone({ pool }: BenchStack, accountId: number): Promise<number> {
  for (;;) {
    const { rows } = await pool.query<{ answers: number; planned: number; pending: number }>(DONE, [accountId]);
    const [row] = rows;
    if (row !== undefined && row.planned === 3 && row.pending === 0) return row.answers;
    await sleep(500);
  }
}
