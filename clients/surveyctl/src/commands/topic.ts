import type {
  ExplainedKeyword,
  ExplainKeywordsResponse,
  Topic,
  TopicChange,
  TopicKeywords,
} from '@survey/proto/text/v1/topics.ts';
import { InvalidArgumentError } from 'commander';
import { ACCOUNT, parseWords } from '../arguments.ts';
import { command, example, flag, group, optional, type Output, required } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { renderTable, renderFields } from '../output.ts';

const NAME = 'current name in any case, with exact white space and punctuation';
const TOPIC = required('--topic <name>', NAME);

const list = command('list', {
  about: 'list the topics of an account with their numbers of answers',
  help: example('topic list --account 1', 'With --json, the output contains their keywords.'),
  inputs: { account: ACCOUNT },
  run: async (admin, { account }) => {
    const { topics, taxonomy_version } = await admin.topics(account).listTopics({});
    const rows = topics.map((topic) => [topic.name, String(topic.answers), keywordCounts(topic)]);
    const json = { topics: topics.map(topicJson), taxonomy_version };
    return { json, text: () => renderTable(['TOPIC', 'ANSWERS', 'KEYWORDS'], rows) };
  },
});

const setActive = (name: string, about: string, is_active: boolean) =>
  command(name, {
    about,
    inputs: { account: ACCOUNT, topic: TOPIC },
    run: async (admin, { account, topic }) => outputOf(await admin.topics(account).setTopicActive({ topic, is_active })),
  });

const RENAME = `
All answers with the topic show the new name immediately. Topics are assigned by keywords, or without any by the original name, which do not
change. To assign the topic by its new name as well, add it to the keywords (topic keywords).

Example:
  $ npx surveyctl topic rename --account 1 --topic Pay --name "Pay and benefits"`;

const rename = command('rename', {
  about: 'rename a topic, also in existing answers',
  help: RENAME,
  inputs: { account: ACCOUNT, topic: TOPIC, name: required('--name <name>', 'new name, unique regardless of case') },
  run: async (admin, { account, ...request }) => outputOf(await admin.topics(account).renameTopic(request)),
});

const MERGE = `
Assigns all answers of the topic to the other one and deletes the topic, irreversibly. Decisions of account admins take precedence over
automatic assignments, and removals stay removals. The remaining topic has the keywords of both.

Example:
  $ npx surveyctl topic merge --account 1 --topic Salaries --into Pay`;

const merge = command('merge', {
  about: 'merge a topic into another one',
  help: MERGE,
  inputs: {
    account: ACCOUNT,
    topic: required('--topic <name>', `topic to delete: ${NAME}`),
    into: required('--into <name>', 'topic to keep'),
  },
  run: async (admin, { account, ...request }) => outputOf(await admin.topics(account).mergeTopics(request)),
});

const TOPIC_EXAMPLE = `
Without --keywords for the language of an answer, the topic is found by its name; topic keywords changes them. All answers of the account
are then processed again in the background; text status shows the progress.

Example:
  $ npx surveyctl topic create --account 1 --name Canteen --keywords en:canteen,lunch,food --keywords de:Kantine,Essen`;

const create = command('create', {
  about: 'create a topic',
  help: TOPIC_EXAMPLE,
  inputs: {
    account: ACCOUNT,
    name: required('--name <name>', 'name of the topic, unique regardless of case'),
    description: optional('--description <text>', 'description of the topic'),
    keywords: optional('--keywords <language:list>', 'comma-separated keywords of one language; repeatable', addKeywords),
  },
  run: async (admin, { account, keywords = {}, ...request }) =>
    outputOf(await admin.topics(account).createTopic({ ...request, keywords })),
});

type Keywords = Record<string, TopicKeywords>;

function addKeywords(text: string, earlier: Keywords = {}): Keywords {
  const [, language, list] = /^([a-z]{2}):(.+)$/s.exec(text) ?? [];
  if (language === undefined || list === undefined)
    throw new InvalidArgumentError('It must be a language and its words, such as en:pay,salary.');
  return { ...earlier, [language]: { words: [...(earlier[language]?.words ?? []), ...parseWords(list)] } };
}

const KEYWORDS_EXAMPLE = `
With --words, replaces the keywords of one language; an empty list removes them. All answers of the account are then processed again in
the background. Decisions of account admins are kept. --explain changes nothing: it counts the released texts that each keyword finds,
and lists keywords that the service suggests for the name.

Examples:
  $ npx surveyctl topic keywords --account 1 --topic Pay
  $ npx surveyctl topic keywords --account 1 --topic Pay --language en --words pay,salary,"pay rise"`;

const keywords = command('keywords', {
  about: 'show or replace the keywords of a topic',
  help: KEYWORDS_EXAMPLE,
  inputs: {
    account: ACCOUNT,
    topic: TOPIC,
    language: optional('--language <code>', 'ISO 639-1 code, such as de'),
    words: optional('--words <list>', 'comma-separated list of all keywords of the language', parseWords),
    isExplained: flag('--explain', 'count the released texts that each keyword finds, with --words before they are saved'),
  },
  run: async (admin, { account, topic, language, words, isExplained }) => {
    if (words !== undefined && language === undefined)
      throw new CommandError('cannot use these keywords: --words requires --language', EXIT.usage);
    if (isExplained) {
      const keywords = language === undefined || words === undefined ? {} : { [language]: { words } };
      return explained(await admin.topics(account).explainKeywords({ topic, keywords }));
    }
    if (words === undefined) {
      const { topics } = await admin.topics(account).listTopics({});
      return keywordsOf(findTopic(topics, topic), language);
    }
    return outputOf(await admin.topics(account).setTopicKeywords({ topic, language: language ?? '', words }));
  },
});

export const topic = group('topic', 'manage the topics of an account', [
  list,
  create,
  rename,
  merge,
  keywords,
  setActive('deactivate', 'stop finding and showing a topic; decisions about it are kept', false),
  setActive('activate', 'find and show a topic again', true),
]);

// Compares names as text-analysis does: without case, otherwise unchanged.
const keyOf = (name: string): string => name.toLowerCase().toUpperCase().toLowerCase();

function findTopic(topics: readonly Topic[], name: string): Topic {
  const topic = topics.find((one) => keyOf(one.name) === keyOf(name));
  if (topic === undefined)
    throw new CommandError('cannot find the topic: the account has no topic with this name, see topic list');
  return topic;
}

function explained({ keywords, texts }: ExplainKeywordsResponse): Output {
  const kind = ({ language, is_suggested }: ExplainedKeyword): string =>
    is_suggested ? 'suggested' : language === '' ? 'name' : 'keyword';
  const rows = keywords.map((one) => [one.language || '-', one.word, String(one.texts), kind(one)]);
  return {
    json: { keywords: keywords.map((one) => ({ ...one, kind: kind(one) })), texts },
    text: () => renderTable(['LANGUAGE', 'WORD', `OF ${texts} TEXTS`, 'KIND'], rows),
  };
}

function keywordsOf({ name, keywords }: Topic, language: string | undefined): Output {
  const wordLists = Object.entries(keywords)
    .filter(([code]) => language === undefined || code === language)
    .map(([code, { words }]) => [code, words] as const);
  const rows = wordLists.map(([code, words]) => [code, words.join(', ')]);
  return { json: { name, keywords: Object.fromEntries(wordLists) }, text: () => renderTable(['LANGUAGE', 'KEYWORDS'], rows) };
}

function topicJson(topic: Topic): object {
  const keywords = Object.entries(topic.keywords).map(([language, { words }]) => [language, words] as const);
  return { ...topic, keywords: Object.fromEntries(keywords) };
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

const outputOf = ({ before, after }: TopicChange): Output => ({
  json: { before: before === null ? null : topicJson(before), after: after === null ? null : topicJson(after) },
  text: () => (after === null ? '' : renderTopic(after)),
});
