import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../support/figures.ts';
import { openOrganisation, surveyctl } from './organisation.ts';
import { processorSeconds } from '../support/processor-time.ts';
import { peakMebibytes, resetPeak, servicePids } from '../support/process-memory.ts';
import { openBenchStack, type BenchStack } from './bench-stack.ts';

/**
 * Measures masking, topics and sentiment of an account, with rules and with the masking model:
 * answers per second of CPU time, memory.
 */
export async function measureTextStages(started: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  started.defer(() => {
    delete process.env['MASKER'];
  });
  const rules = await measureMasker('rules', { employees: isSmoke ? 300 : 100_000, perSecond: 2_000, mebibytes: 280 }, isSmoke);
  const model = await measureMasker('rules+model', { employees: isSmoke ? 100 : 3_000, perSecond: 40, mebibytes: 450 }, isSmoke);
  return [...rules, ...model];
}

interface Size {
  readonly employees: number;
  // Goals: least answers per second of CPU time, most memory.
  readonly perSecond: number;
  readonly mebibytes: number;
}

async function measureMasker(masker: string, { employees, perSecond, mebibytes }: Size, isSmoke: boolean): Promise<Figure[]> {
  process.env['MASKER'] = masker;
  await using started = new AsyncDisposableStack();
  const bench = await openBenchStack(started, isSmoke);
  const { account_id } = await openOrganisation(bench, { employees, months: 1 });
  const pid = (await servicePids()).get('text-analysis') ?? 0;
  await resetPeak(pid);
  const before = await processorSeconds(pid);
  const on = ['--masking-entitled', 'true', '--masking', 'on', '--categorisation', 'on'];
  await surveyctl(bench, 'settings', 'set', '--account', String(account_id), ...on);
  const answers = await untilDone(bench, account_id);
  const seconds = (await processorSeconds(pid)) - before;
  return [
    {
      what: `all stages of ${answers} answers by ${masker}, roster of ${employees}`,
      unit: 'answers/s of CPU',
      ours: [answers / seconds],
      goal: { atLeast: perSecond },
    },
    {
      what: `peak memory of text-analysis with ${masker} and the heap of the chart`,
      unit: 'MiB',
      ours: [await peakMebibytes(pid)],
      goal: { atMost: mebibytes },
    },
  ];
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
