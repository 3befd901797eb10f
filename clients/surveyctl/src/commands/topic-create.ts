import { InvalidArgumentError, Option, type Command } from 'commander';
import type { TopicKeywords } from '@survey/proto/text/v1/topics.ts';
import { accountOption, parseWords } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { printChange } from '../topic-rendering.ts';

interface CreateOptions {
  account: number;
  name: string;
  description?: string;
  keywords?: Readonly<Record<string, TopicKeywords>>;
}

const EXAMPLE = `
Without --keywords, the topic gets keywords in eight languages that fit its name, such as those about pay for Salaries. topic keywords
changes them. All answers of the account are then processed again in the background; text status shows the progress.

Example:
  $ npx surveyctl topic create --account 1 --name Canteen --keywords en:canteen,lunch,food --keywords de:Kantine,Essen`;

export function addTopicCreate(topic: Command): void {
  topic
    .command('create')
    .description('create a topic')
    .addOption(accountOption())
    .requiredOption('--name <name>', 'name of the topic, unique regardless of case')
    .option('--description <text>', 'description of the topic, used while it has few keywords')
    .addOption(
      new Option('--keywords <language:list>', 'comma-separated keywords of one language; repeatable').argParser(addKeywords),
    )
    .addHelpText('after', EXAMPLE)
    .action(
      withConnection<[CreateOptions]>(async (admin, command, { account, name, description, keywords = {} }) => {
        printChange(command, await admin.topics(account).createTopic({ name, description, keywords: { ...keywords } }));
      }),
    );
}

function addKeywords(text: string, earlier: CreateOptions['keywords'] = {}): CreateOptions['keywords'] {
  const [, language, list] = /^([a-z]{2}):(.+)$/s.exec(text) ?? [];
  if (language === undefined || list === undefined)
    throw new InvalidArgumentError('It must be a language and its words, such as en:pay,salary.');
  return { ...earlier, [language]: { words: parseWords(list) } };
}
