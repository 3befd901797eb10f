import { createInterface } from 'node:readline';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { accountOption } from '../arguments.ts';
import { print, renderFields } from '../output.ts';
import { renderTextStatus, STAGES, textStatusJson } from '../text-rendering.ts';
import { withConnection } from '../with-connection.ts';
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

const ALLOW_HELP = `
The list has names of companies, products and teams, which masking otherwise takes for names of people. A name of several words allows
each of its words. A word in the name of an employee is always masked. Options of the account's attributes need no entry for the
masking model. Texts that are masked already stay as they are; to mask them again, use text rebuild --stage mask.

Examples:
  $ npx surveyctl text allow-list add --account 1 Orion "Contoso Drive"
  $ npx surveyctl text allow-list list --account 1`;

type Change = (names: readonly string[], given: readonly string[]) => string[];

function addTextAllowList(text: Command): void {
  const list = text.command('allow-list').description('manage the names that masking leaves visible');
  list.addHelpText('after', ALLOW_HELP);
  addChange(list, 'add', 'leave names visible', (names, given) => [...names, ...given]);
  addChange(list, 'remove', 'mask names again', (names, given) => names.filter((name) => !given.includes(name)));
  list
    .command('list')
    .description('show the names')
    .addOption(accountOption())
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const { masking_allowed_names: names } = await admin.showSettings({ account_id: account });
        printNames(command, names);
      }),
    );
}

function addChange(list: Command, name: string, description: string, change: Change): void {
  list
    .command(name)
    .description(description)
    .argument('<name...>', 'names, such as of products')
    .addOption(accountOption())
    .action(
      withConnection<[string[], { account: number }]>(async (admin, command, given, { account }) => {
        const { masking_allowed_names: before, version } = await admin.showSettings({ account_id: account });
        const { masking_allowed_names: names } = await admin.setSettings({
          account_id: account,
          masking_categories: null,
          masking_allowed_names: { names: change(before, given) },
          expected_version: version,
        });
        printNames(command, names);
      }),
    );
}

function printNames(command: Command, names: string[]): void {
  print(command, { names }, () => names.join('\n'));
}

// A person who types sees each line at once.
const BATCH = process.stdin.isTTY ? 1 : 100;

const MASK_HELP = `
Reads lines from standard input and prints each one masked. Uses the account's employees and categories, or all categories while
masking is off. Nothing is stored or logged. With --json, each line is an object with the language whose rules were applied and the
masks: category, UTF-16 offsets and rule.

Example:
  $ echo 'Ask Maria Becker, +49 30 901820.' | npx surveyctl text mask --account 1 --language en`;

function addTextMask(text: Command): void {
  text
    .command('mask')
    .description('show what masking replaces in lines of text')
    .addOption(accountOption())
    .addOption(
      new Option('--language <code>', "language that the lines are probably in (default: the account's)").argParser(
        parseLanguage,
      ),
    )
    .addHelpText('after', MASK_HELP)
    .action(
      withConnection<[{ account: number; language?: string }]>(async (admin, command, { account, language }) => {
        let lines: string[] = [];
        const flush = async (): Promise<void> => {
          const { texts } = await admin.topics(account).maskTexts({ texts: lines, language });
          for (const masked of texts) print(command, masked, () => masked.text);
          lines = [];
        };
        for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
          lines.push(line);
          if (lines.length === BATCH) await flush();
        }
        if (lines.length > 0) await flush();
      }),
    );
}

function parseLanguage(text: string): string {
  if (!/^[a-z]{2}$/.test(text)) throw new InvalidArgumentError('It must be an ISO 639-1 code, such as de.');
  return text;
}
