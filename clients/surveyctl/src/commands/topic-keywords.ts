import { Option, type Command } from 'commander';
import type { Topic } from '@survey/proto/text/v1/topics.ts';
import { accountOption, parseWords } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { print, renderTable } from '../output.ts';
import { printChange } from '../topic-rendering.ts';

interface KeywordsOptions {
  account: number;
  topic: string;
  language?: string;
  words?: string[];
}

const EXAMPLE = `
With --words, replaces the keywords of one language; an empty list removes them. All answers of the account are then processed again in
the background. Decisions of account admins are kept.

Examples:
  $ npx surveyctl topic keywords --account 1 --topic Pay
  $ npx surveyctl topic keywords --account 1 --topic Pay --language en --words pay,salary,"pay rise"`;

export function addTopicKeywords(topics: Command, nameHelp: string): void {
  topics
    .command('keywords')
    .description('show or replace the keywords of a topic')
    .addOption(accountOption())
    .requiredOption('--topic <name>', nameHelp)
    .option('--language <code>', 'ISO 639-1 code, such as de')
    .addOption(new Option('--words <list>', 'comma-separated list of all keywords of the language').argParser(parseWords))
    .addHelpText('after', EXAMPLE)
    .action(
      withConnection<[KeywordsOptions]>(async (admin, command, { account, topic, language, words }) => {
        if (words === undefined) {
          const { topics: all } = await admin.topics(account).listTopics({});
          return printKeywords(command, findTopic(all, topic), language);
        }
        if (language === undefined) throw new CommandError('cannot replace keywords: --words requires --language', EXIT.usage);
        printChange(command, await admin.topics(account).setTopicKeywords({ topic, language, words }));
      }),
    );
}

// Compares names as text-analysis does: without case, otherwise unchanged.
const keyOf = (name: string): string => name.toLowerCase().toUpperCase().toLowerCase();

function findTopic(topics: readonly Topic[], name: string): Topic {
  const topic = topics.find((one) => keyOf(one.name) === keyOf(name));
  if (topic === undefined)
    throw new CommandError('cannot find the topic: the account has no topic with this name, see topic list');
  return topic;
}

function printKeywords(command: Command, { name, keywords }: Topic, language: string | undefined): void {
  const shown = Object.entries(keywords).filter(([code]) => language === undefined || code === language);
  const json = Object.fromEntries(shown.map(([code, { words }]) => [code, words]));
  print(command, { name, keywords: json }, () =>
    renderTable(
      ['LANGUAGE', 'KEYWORDS'],
      shown.map(([code, { words }]) => [code, words.join(', ')]),
    ),
  );
}
