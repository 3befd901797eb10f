import type {
  ExplainedKeyword,
  ExplainKeywordsResponse,
  Topic,
  TopicKeywords,
  ListTopicsResponse,
  TopicChange,
} from '@survey/proto/text/v1/topics.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { accountOption, parseWords } from '../arguments.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { print, renderTable, renderFields } from '../output.ts';
import { withConnection } from '../with-connection.ts';

const NAME = 'current name in any case, with exact white space and punctuation';

export function addTopicCommands(program: Command): void {
  const topic = program.command('topic').description('manage the topics of an account');
  addList(topic);
  addTopicCreate(topic);
  addRename(topic);
  addMerge(topic);
  addTopicKeywords(topic, NAME);
  addActive(topic, 'deactivate', 'stop finding and showing a topic; decisions about it are kept', false);
  addActive(topic, 'activate', 'find and show a topic again', true);
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

function addActive(topic: Command, name: string, description: string, isActive: boolean): void {
  topic
    .command(name)
    .description(description)
    .addOption(accountOption())
    .requiredOption('--topic <name>', NAME)
    .action(
      withConnection<[{ account: number; topic: string }]>(async (admin, command, { account, topic: of }) => {
        printChange(command, await admin.topics(account).setTopicActive({ topic: of, is_active: isActive }));
      }),
    );
}

const RENAME = `
All answers with the topic show the new name immediately. Topics are assigned by keywords, or without any by the original name, which do not
change. To assign the topic by its new name as well, add it to the keywords (topic keywords).

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

const TOPIC_EXAMPLE = `
Without --keywords for the language of an answer, the topic is found by its name; topic keywords changes them. All answers of the account
are then processed again in the background; text status shows the progress.

Example:
  $ npx surveyctl topic create --account 1 --name Canteen --keywords en:canteen,lunch,food --keywords de:Kantine,Essen`;

function addTopicCreate(topic: Command): void {
  topic
    .command('create')
    .description('create a topic')
    .addOption(accountOption())
    .requiredOption('--name <name>', 'name of the topic, unique regardless of case')
    .option('--description <text>', 'description of the topic')
    .addOption(
      new Option('--keywords <language:list>', 'comma-separated keywords of one language; repeatable').argParser(addKeywords),
    )
    .addHelpText('after', TOPIC_EXAMPLE)
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

interface KeywordsOptions {
  account: number;
  topic: string;
  language?: string;
  words?: string[];
  explain?: true;
}

const KEYWORDS_EXAMPLE = `
With --words, replaces the keywords of one language; an empty list removes them. All answers of the account are then processed again in
the background. Decisions of account admins are kept. --explain changes nothing: it counts the released texts that each keyword finds,
and lists keywords that the service suggests for the name.

Examples:
  $ npx surveyctl topic keywords --account 1 --topic Pay
  $ npx surveyctl topic keywords --account 1 --topic Pay --language en --words pay,salary,"pay rise"`;

function addTopicKeywords(topics: Command, nameHelp: string): void {
  topics
    .command('keywords')
    .description('show or replace the keywords of a topic')
    .addOption(accountOption())
    .requiredOption('--topic <name>', nameHelp)
    .option('--language <code>', 'ISO 639-1 code, such as de')
    .addOption(new Option('--words <list>', 'comma-separated list of all keywords of the language').argParser(parseWords))
    .option('--explain', 'count the released texts that each keyword finds, with --words before they are saved')
    .addHelpText('after', KEYWORDS_EXAMPLE)
    .action(
      withConnection<[KeywordsOptions]>(async (admin, command, { account, topic, language, words, explain }) => {
        if (words !== undefined && language === undefined)
          throw new CommandError('cannot use these keywords: --words requires --language', EXIT.usage);
        if (explain === true) {
          const keywords = language === undefined || words === undefined ? {} : { [language]: { words } };
          return printExplained(command, await admin.topics(account).explainKeywords({ topic, keywords }));
        }
        if (words === undefined) {
          const { topics: all } = await admin.topics(account).listTopics({});
          return printKeywords(command, findTopic(all, topic), language);
        }
        printChange(command, await admin.topics(account).setTopicKeywords({ topic, language: language ?? '', words }));
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

function printExplained(command: Command, { keywords, texts }: ExplainKeywordsResponse): void {
  const kind = ({ language, is_suggested }: ExplainedKeyword): string =>
    is_suggested ? 'suggested' : language === '' ? 'name' : 'keyword';
  print(command, { keywords: keywords.map((one) => ({ ...one, kind: kind(one) })), texts }, () =>
    renderTable(
      ['LANGUAGE', 'WORD', `OF ${texts} TEXTS`, 'KIND'],
      keywords.map((one) => [one.language || '-', one.word, String(one.texts), kind(one)]),
    ),
  );
}

function printKeywords(command: Command, { name, keywords }: Topic, language: string | undefined): void {
  const keywordLists = Object.entries(keywords).filter(([code]) => language === undefined || code === language);
  const json = Object.fromEntries(keywordLists.map(([code, { words }]) => [code, words]));
  print(command, { name, keywords: json }, () =>
    renderTable(
      ['LANGUAGE', 'KEYWORDS'],
      keywordLists.map(([code, { words }]) => [code, words.join(', ')]),
    ),
  );
}

/** Renders a topic for programs. */
function topicJson({ topic_id, name, description, keywords, match_names, answers, is_active }: Topic): object {
  const byLanguage = Object.entries(keywords).map(([language, { words }]) => [language, words] as const);
  return {
    topic_id,
    name,
    description: description ?? null,
    keywords: Object.fromEntries(byLanguage),
    match_names,
    answers,
    is_active,
  };
}

function topicsJson({ topics, taxonomy_version }: ListTopicsResponse): object {
  return { topics: topics.map(topicJson), taxonomy_version };
}

function renderTopics({ topics }: ListTopicsResponse): string {
  const rows = topics.map((topic) => [topic.name, String(topic.answers), keywordCounts(topic)]);
  return renderTable(['TOPIC', 'ANSWERS', 'KEYWORDS'], rows);
}

/** Renders a topic change for programs. */
function changeJson({ before, after }: TopicChange): object {
  return { before: before === null ? null : topicJson(before), after: after === null ? null : topicJson(after) };
}

function renderTopic(topic: Topic): string {
  const keywords = Object.entries(topic.keywords).map(
    ([language, { words }]) => [`keywords ${language}`, words.join(', ')] as const,
  );
  return renderFields({
    topic: topic.name,
    ...(topic.description == null ? {} : { description: topic.description }),
    answers: String(topic.answers),
    ...(topic.is_active ? {} : { active: 'no' }),
    'found by, without keywords': topic.match_names.join(', '),
    ...Object.fromEntries(keywords),
  });
}

// Such as "de 12, en 20".
function keywordCounts({ keywords }: Topic): string {
  const counts = Object.entries(keywords).map(([language, { words }]) => `${language} ${words.length}`);
  return counts.length === 0 ? '-' : counts.join(', ');
}

/** Prints the result of a topic change. */
function printChange(command: Command, change: TopicChange): void {
  print(command, changeJson(change), () => (change.after === null ? '' : renderTopic(change.after)));
}
