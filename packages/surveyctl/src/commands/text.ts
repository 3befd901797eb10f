import { Option, type Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields } from '../output.ts';
import { renderTextStatus, STAGES, textStatusJson } from '../text-rendering.ts';
import { addTextLearner } from './text-learner.ts';
import { addTextRebuild } from './text-rebuild.ts';

/** Stages of an answer, in order. */

export function addTextCommands(program: Command): void {
  const text = program.command('text').description('the work on free-text answers: masking, topics, sentiment');
  addStatus(text);
  addTextRebuild(text);
  addRetry(text);
  addTextLearner(text);
}

const STATUS = `
TO DO counts the answers that a stage has yet to look at, those under way included; LAG is how long the one waits already that waits longest for a worker.
STATE is planning for some seconds after settings, topics or a model have changed. A stage that is off is switched on by settings set (masking, categorisation).

Example:
  $ npx surveyctl text status --account 1`;

function addStatus(text: Command): void {
  text
    .command('status')
    .description('show how far each stage is, and what it gave up')
    .addOption(accountOption())
    .addHelpText('after', STATUS)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const status = await admin.topics(account).showTextStatus({});
        print(command, textStatusJson(status), () => renderTextStatus(status));
      }),
    );
}

const RETRY = `
An answer is given up after some attempts that failed, such as those of a service outside that was away for long; text status tells the reasons.

Example:
  $ npx surveyctl text retry --account 1 --stage mask`;

function addRetry(text: Command): void {
  text
    .command('retry')
    .description('queue again what was given up')
    .addOption(accountOption())
    .addOption(new Option('--stage <stage>', 'of this stage only').choices(STAGES))
    .addHelpText('after', RETRY)
    .action(
      withConnection<[{ account: number; stage?: string }]>(async (admin, command, { account, stage }) => {
        const { queued } = await admin.topics(account).retryText({ stage });
        print(command, { queued }, () => renderFields({ queued: String(queued) }));
      }),
    );
}
