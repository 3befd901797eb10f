import { setTimeout as sleep } from 'node:timers/promises';
import type { StageStatus } from '@survey/proto/text/v1/topics.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { command, optional, withDefault } from '../command.ts';
import type { AccountAdmin } from '../connection.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { renderTable } from '../output.ts';
import { openProgress, type Progress } from '../progress.ts';
import { givenUp, STAGES, toDo } from '../text-rendering.ts';

const POLL_MS = 250;
// The relay of a healthy service publishes a job within a second.
const UNSENT_SECONDS = 5;

const EXAMPLE = `
Runs every enabled stage again for all answers, one stage after the other, for example after a model was fixed. Previous results stay
in use until they are replaced, except sentiment, which is null until then. Decisions of account admins are kept. The command can be
interrupted and repeated.

Exit codes: 0 done, 1 answers were given up (text status shows why) or the command failed.

Examples:
  $ npx surveyctl text rebuild --account 1
  $ npx surveyctl text rebuild --account 1 --stage categorise`;

interface Rebuilt {
  readonly stage: string;
  readonly queued: number;
  readonly given_up: number;
}

interface Scope {
  readonly admin: AccountAdmin;
  readonly accountId: number;
  readonly progress: Progress;
  readonly stallTimeoutMs: number;
}

export const rebuild = command('rebuild', {
  about: 'process all answers again and wait until that is done',
  help: EXAMPLE,
  inputs: {
    accountId: ACCOUNT,
    stage: optional('--stage <stage>', 'stage to run (default: all enabled stages)', STAGES),
    stallTimeout: withDefault('--stall-timeout <seconds>', 'fail after this many seconds without progress', 180, parsePositive),
  },
  run: async (admin, { accountId, stage, stallTimeout }) => {
    const stages: Rebuilt[] = [];
    using progress = openProgress(process.stderr);
    const scope = { admin, accountId, progress, stallTimeoutMs: stallTimeout * 1_000 };
    for (const one of await stagesToRebuild(scope, stage)) stages.push(await rebuildStage(scope, one));
    if (stages.some(({ given_up }) => given_up > 0)) process.exitCode = EXIT.failed;
    const rows = stages.map((one) => [one.stage, String(one.queued), String(one.given_up)]);
    return { json: { stages }, text: () => renderTable(['STAGE', 'ANSWERS', 'GIVEN UP'], rows) };
  },
});

async function stagesToRebuild({ admin, accountId }: Scope, wanted: string | undefined): Promise<readonly string[]> {
  if (wanted !== undefined) return [wanted];
  const { stages } = await admin.topics(accountId).showTextStatus({});
  return stages.filter(({ version }) => version != null).map(({ stage }) => stage);
}

async function rebuildStage(scope: Scope, stage: string): Promise<Rebuilt> {
  const queued = await queueAll(scope, stage);
  const { given_up } = await untilDone(scope, stage, queued);
  return { stage, queued, given_up: givenUp(given_up) };
}

async function queueAll({ admin, accountId, progress }: Scope, stage: string): Promise<number> {
  let queued = 0;
  let from: number | undefined;
  do {
    const stretch = await admin.topics(accountId).rebuildText({ stage, from_answer: from });
    queued += stretch.queued;
    from = stretch.next_answer ?? undefined;
    progress.show({ activity: `${stage}: queueing`, done: queued, total: undefined, detail: `${queued} answers` });
  } while (from !== undefined);
  return queued;
}

async function untilDone(
  { admin, accountId, progress, stallTimeoutMs }: Scope,
  stage: string,
  total: number,
): Promise<StageStatus> {
  let fewest = { remaining: Infinity, at: performance.now() };
  for (;;) {
    const { stages, jobs_unsent_seconds: unsentSeconds } = await admin.topics(accountId).showTextStatus({});
    const status = stages.find((one) => one.stage === stage);
    if (status === undefined || (status.is_backfilled && status.version == null))
      throw new CommandError(`cannot rebuild ${stage}: it was disabled while this command waited`);
    const remaining = toDo(status);
    if (remaining === 0 && status.is_backfilled) return status;
    if (remaining < fewest.remaining) fewest = { remaining, at: performance.now() };
    const isStuck = (unsentSeconds ?? 0) >= UNSENT_SECONDS;
    if (performance.now() - fewest.at > stallTimeoutMs)
      throw new CommandError(
        `cannot rebuild ${stage}: no progress for ${stallTimeoutMs / 1_000} s, ${remaining} answers left; ` +
          (isStuck ? 'NATS accepts no jobs, see docs/runbooks/NatsDown.md' : 'see the log of text-analysis'),
      );
    const all = Math.max(total, remaining);
    const activity = isStuck ? `${stage}: waiting for NATS to accept jobs` : stage;
    progress.show({ activity, done: all - remaining, total: all, detail: `${all - remaining}/${all}` });
    await sleep(POLL_MS);
  }
}
