import { execFile, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Figure } from './figures.ts';
import { importAndWait } from './post-snapshot.ts';
import { peakMebibytes, resetPeak, servicePids } from './process-memory.ts';
import type { World } from './world.ts';

const SURVEYCTL = fileURLToPath(new URL('../../packages/surveyctl/src/main.ts', import.meta.url));
const TICKS_PER_SECOND = 100;
const run = promisify(execFile);

/** Masking, topics and sentiment of what a whole workforce wrote, from the moment they are switched on: answers for a second of processor time, and memory. */
export async function measureTextStages(world: World): Promise<Figure[]> {
  const employees = world.isSmoke ? 300 : 100_000;
  const { account_id, write_key } = await world.account();
  const surveyctl = (...args: string[]) =>
    run(process.execPath, [SURVEYCTL, ...args], {
      env: { ...process.env, ACCOUNT_ADMIN_ADDRESS: world.stack.account_admin_address, NATS_URL: world.stack.nats_url },
      maxBuffer: 2 ** 30,
    });
  const [dataset, snapshot] = [join(world.folder, 'organisation.ndjson'), join(world.folder, 'workforce.json')];
  const generate = ['dataset', 'generate', '--employees', String(employees), '--months', '1', '--snapshot', snapshot];
  const made = spawn(process.execPath, [SURVEYCTL, ...generate], { stdio: ['ignore', 'pipe', 'inherit'] });
  await pipeline(made.stdout, createWriteStream(dataset));
  await pipeline(createReadStream(snapshot), createGzip(), createWriteStream(`${snapshot}.gz`));
  await importAndWait(world, write_key, `${snapshot}.gz`);
  await surveyctl('dataset', 'load', dataset, '--account', String(account_id));
  const pid = (await servicePids()).get('text-analysis') ?? 0;
  await resetPeak(pid);
  const before = await processorSeconds(pid);
  const on = ['--masking-entitled', 'true', '--masking', 'on', '--categorisation', 'on'];
  await surveyctl('settings', 'set', '--account', String(account_id), ...on);
  const answers = await untilDone(world, account_id);
  const seconds = (await processorSeconds(pid)) - before;
  return [
    {
      what: `all stages of ${answers} answers, roster of ${employees}`,
      unit: 'answers/s of CPU',
      ours: [answers / seconds],
      goal: { atLeast: 1_500 },
    },
    { what: 'most memory of text-analysis meanwhile', unit: 'MiB', ours: [await peakMebibytes(pid)], goal: { atMost: 300 } },
  ];
}

// User and system time; the name of the process, in brackets, may hold anything.
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const DONE = `
select s.answers, count(*) filter (where p.version is not null and p.planned_to >= s.answers) as planned,
  (select count(*) from text.pending w where w.account_id = s.account_id) as pending
from text.account_state s left join text.stage_plan p on p.account_id = s.account_id
where s.account_id = $1 group by s.account_id, s.answers`;

async function untilDone({ pool }: World, accountId: number): Promise<number> {
  for (;;) {
    const { rows } = await pool.query<{ answers: number; planned: number; pending: number }>(DONE, [accountId]);
    const [row] = rows;
    if (row !== undefined && row.planned === 3 && row.pending === 0) return row.answers;
    await sleep(500);
  }
}
