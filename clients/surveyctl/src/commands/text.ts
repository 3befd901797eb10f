import { Option, type Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderFields } from '../output.ts';
import { renderTextStatus, STAGES, textStatusJson } from '../text-rendering.ts';
import { addTextAllowList } from './text-allow-list.ts';
import { addTextMask } from './text-mask.ts';
import { addTextModel } from './text-model.ts';
import { addTextRebuild } from './text-rebuild.ts';

export function addTextCommands(program: Command): void {
  const text = program.command('text').description('manage the analysis of free-text answers: masking, topics, sentiment');
  addStatus(text);
  addTextMask(text);
  addTextAllowList(text);
  addTextRebuild(text);
  addRetry(text);
  addTextModel(text);
}

const STATUS = `
TO DO counts the unprocessed answers of a stage, including those in progress. LAG is the age of the oldest pending one. STATE is
planning for some seconds after settings, topics or a model change. To enable a stage, use settings set (masking, categorisation).

Example:
  $ npx surveyctl text status --account 1`;

function addStatus(text: Command): void {
  text
    .command('status')
    .description('show the progress of each stage and the answers it gave up')
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
An answer is given up after five failed attempts, or two that ended the process. text status shows the reasons.

Example:
  $ npx surveyctl text retry --account 1 --stage mask`;

function addRetry(text: Command): void {
  text
    .command('retry')
    .description('process the answers again that were given up')
    .addOption(accountOption())
    .addOption(new Option('--stage <stage>', 'only answers of this stage').choices(STAGES))
    .addHelpText('after', RETRY)
    .action(
      withConnection<[{ account: number; stage?: string }]>(async (admin, command, { account, stage }) => {
        const { queued } = await admin.topics(account).retryText({ stage });
        print(command, { queued }, () => renderFields({ queued: String(queued) }));
      }),
    );
}
