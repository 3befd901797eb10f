import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { setSearchWords } from './change-topics.ts';
import { findTopic, type Keywords } from './topics.ts';
import { changeTopics, type TopicTools } from './change-topics.ts';
import { checkKeywords } from './topic-wording.ts';

/**
 * Replaces a topic's keywords in one language and starts a backfill of all answers, which writes
 * only changed ones.
 */
export function setTopicKeywords(tools: TopicTools): Handlers<TopicServiceDefinition>['setTopicKeywords'] {
  return ({ topic, language, words }, call) => {
    const given = checkKeywords(language, words);
    return changeTopics(tools, call, async ({ tx, accountId, state }) => {
      const before = await findTopic(tx, accountId, topic);
      const keywords = withLanguage(before.keywords, language, given);
      if (JSON.stringify(keywords) === JSON.stringify(before.keywords)) return { before, after: before };
      state.taxonomy_version += 1;
      await setSearchWords(tx, accountId, before.topic_id, { ...before, keywords });
      return { before, after: await findTopic(tx, accountId, topic), event: { subject: 'events.topic.keywords_changed' } };
    });
  };
}

function withLanguage(keywords: Keywords, language: string, words: readonly string[]): Keywords {
  const { [language]: _replaced, ...others } = keywords;
  const entries = Object.entries(words.length === 0 ? others : { ...others, [language]: words });
  // In PostgreSQL's key order, so that equal keywords compare as equal.
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
