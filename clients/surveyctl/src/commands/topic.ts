import type { TopicKeywords } from '@survey/proto/text/v1/topics.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { accountOption, parseWords } from '../arguments.ts';
import { print } from '../output.ts';
import { printChange, renderTopics, topicsJson } from '../topic-rendering.ts';
import { withConnection } from '../with-connection.ts';
import { addTopicKeywords } from './topic-keywords.ts';

const NAME = 'current name in any case, with exact white space and punctuation';

export function addTopicCommands(program: Command): void {
  const topic = program.command('topic').description('manage the topics of an account');
  addList(topic);
  addTopicCreate(topic);
  addRename(topic);
  addMerge(topic);
  addTopicKeywords(topic, NAME);
}

function addList(topic: Command): void {
  topic
    .command('list')
    .description('list the topics of an account with their numbers of answers')
    .addOption(accountOption())
    .addHelpText(
      'after',
      '\nWith --json, the output contains their keywords.\n\nExample:\n  $ npx surveyctl topic list --account 1',
    )
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const list = await admin.topics(account).listTopics({});
        print(command, topicsJson(list), () => renderTopics(list));
      }),
    );
}

const RENAME = `
All answers with the topic show the new name immediately. Topics are assigned by keywords and the original name, which do not change.
To assign the topic by its new name as well, add it to the keywords (topic keywords).

Example:
  $ npx surveyctl topic rename --account 1 --topic Pay --name "Pay and benefits"`;

function addRename(topic: Command): void {
  topic
    .command('rename')
    .description('rename a topic, also in existing answers')
    .addOption(accountOption())
    .requiredOption('--topic <name>', NAME)
    .requiredOption('--name <name>', 'new name, unique regardless of case')
    .addHelpText('after', RENAME)
    .action(
      withConnection<[{ account: number; topic: string; name: string }]>(async (admin, command, { account, topic, name }) => {
        printChange(command, await admin.topics(account).renameTopic({ topic, name }));
      }),
    );
}

const MERGE = `
Assigns all answers of the topic to the other one and deletes the topic, irreversibly. Decisions of account admins take precedence over
automatic assignments, and removals stay removals. The remaining topic has the keywords of both.

Example:
  $ npx surveyctl topic merge --account 1 --topic Salaries --into Pay`;

function addMerge(topic: Command): void {
  topic
    .command('merge')
    .description('merge a topic into another one')
    .addOption(accountOption())
    .requiredOption('--topic <name>', `topic to delete: ${NAME}`)
    .requiredOption('--into <name>', 'topic to keep')
    .addHelpText('after', MERGE)
    .action(
      withConnection<[{ account: number; topic: string; into: string }]>(async (admin, command, { account, topic, into }) => {
        printChange(command, await admin.topics(account).mergeTopics({ topic, into }));
      }),
    );
}

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

function addTopicCreate(topic: Command): void {
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
