import { limitResults } from '@survey/postgres/database.ts';
import { LargeResult } from '@survey/postgres/large-result.ts';
import type { TextRange, TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { invalid } from '@survey/rpc/application-error.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import { normalise } from '@survey/text/words/normalise.ts';
import { readWords } from '@survey/text/words/read-words.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { WHOLE_ACCOUNT, withReleased, type ReleaseContext } from '../release/released-answers.ts';
import { readWithLanguages } from './explain-keywords.ts';
import type { KeywordMatcher } from './keyword-matcher.ts';
import { createMatcherCache } from './matcher-cache.ts';
import { answersOfTopic, countByCycle, countTopicAnswers as count, sortKeysOf } from './topic-answers.ts';
import { topicView } from './topic-views.ts';
import { findTopic } from './topics.ts';

const MAX_LIMIT = 200;

/**
 * Lists the answers about a topic that GET /v1/text_responses returns now (rules TEXTS-THRESHOLD-1
 * and TEXTS-ORDER-1).
 */
export function listTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['listTopicAnswers'] {
  return async ({ topic, limit, offset }, call) => {
    if (limit < 1 || limit > MAX_LIMIT || offset < 0) throw invalid(`limit must be 1 to ${MAX_LIMIT}, and offset at least 0`);
    using result = new LargeResult(accountOf(call));
    return await withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, released, policy, deniedWords }) => {
      limitResults(tx, result);
      const row = await findTopic(tx, accountId, topic);
      const views = [topicView(row)];
      const matcherOf = createMatcherCache();
      const ofTopic = await answersOfTopic(tx, accountId, row.topic_id);
      const topicIds = released.ids.filter((id) => ofTopic.has(id));
      const ids = [...topicIds.subarray(offset, offset + limit)];
      const handles = await sortKeysOf(tx, accountId, ids);
      const page = await readWithLanguages(tx, accountId, ids, { policy, deniedWords });
      const answers = page.map(({ text, topics, language }, index) => ({
        handle: handles.get(ids[index] ?? 0) ?? '',
        text,
        topics: topics.map(({ name }) => name),
        sentiment: topics.find(({ name }) => name === row.name)?.sentiment ?? null,
        matches: matchesIn(text, language, matcherOf(views, language)),
      }));
      return { answers, total: topicIds.length };
    });
  };
}

// Where keywords are: of overlapping ones the longest.
function matchesIn(text: string, language: string, matcher: KeywordMatcher): TextRange[] {
  const words = readWords(text, language);
  const { rangeOf } = normalise(text);
  const hits = matcher.find(words).toSorted((a, b) => a.word - b.word || b.length - a.length);
  let next = 0;
  return hits.flatMap(({ word, length }) => {
    if (word < next) return [];
    next = word + length;
    return [rangeOf(words[word]?.start ?? 0, words[next - 1]?.end ?? 0)];
  });
}

/** Counts, by topic and for one by cycle, the answers that GET /v1/text_responses returns now. */
export function countTopicAnswers(context: ReleaseContext): Handlers<TopicServiceDefinition>['countTopicAnswers'] {
  return ({ topic }, call) =>
    withReleased(context, WHOLE_ACCOUNT, call, async ({ tx, accountId, ...units }) => ({
      counts: await count(tx, accountId, units),
      cycles: topic == null ? [] : await countByCycle(tx, accountId, (await findTopic(tx, accountId, topic)).topic_id, units),
    }));
}
