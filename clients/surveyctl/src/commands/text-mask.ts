import { createInterface } from 'node:readline';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { print } from '../output.ts';
import { withConnection } from '../with-connection.ts';

// A person who types sees each line at once.
const BATCH = process.stdin.isTTY ? 1 : 100;

const HELP = `
Reads lines from standard input and prints each one masked. Uses the account's employees and categories, or all categories while
masking is off. Nothing is stored or logged. With --json, each line is an object with the language whose rules were applied and the
masks: category, UTF-16 offsets and rule.

Example:
  $ echo 'Ask Maria Becker, +49 30 901820.' | npx surveyctl text mask --account 1 --language en`;

export function addTextMask(text: Command): void {
  text
    .command('mask')
    .description('show what masking replaces in lines of text')
    .addOption(accountOption())
    .addOption(
      new Option('--language <code>', "language that the lines are probably in (default: the account's)").argParser(
        parseLanguage,
      ),
    )
    .addHelpText('after', HELP)
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
