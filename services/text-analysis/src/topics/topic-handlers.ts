import type { Masker } from '@survey/text/masking/masker.ts';
import { inAccountSnapshot, limitResults, type Pool } from '@survey/postgres/database.ts';
import { LargeResult } from '@survey/postgres/large-result.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import { assignDeferredTopics } from '../facts/apply-topics.ts';
import { maskTexts } from '../masking/mask-stage.ts';
import type { GetRoster } from '../masking/roster.ts';
import type { ReleaseContext } from '../release/released-answers.ts';
import { findAnswers, listWithheldAnswers, withholdAnswer } from '../release/withhold-answer.ts';
import { topicKey } from '../rules/topic-key.ts';
import { rebuildText, retryText } from '../stages/requeue-answers.ts';
import { showTextStatus, type StageModels } from '../stages/show-text-status.ts';
import {
  changeTopics,
  checkNameIsFree,
  renameTopic as rename,
  setSearchWords,
  type TopicContext,
  toTopicMessage,
} from './change-topics.ts';
import { explainKeywords } from './explain-keywords.ts';
import { listTopicModels, rollBackTopicModel } from './learning/topic-models.ts';
import { countTopicAnswers, listTopicAnswers, reassignTopic } from './topic-answers.ts';
import { mergeTopics } from './merge-topics.ts';
import { taxonomyVersion } from './topic-views.ts';
import { insertTopics } from './topic-aliases.ts';
import { checkDescription, checkKeywords, checkTopicName, findTopic, type Keywords, readTopics } from './topics.ts';

/** Creates the operator calls for topics and stages. `wake` signals the relay and the backfill. */
export function topicHandlers(
  context: ReleaseContext & TopicContext & { readonly masker: Masker; readonly findRoster: GetRoster },
  models: readonly StageModels[],
): Handlers<TopicServiceDefinition> {
  const { pool } = context;
  return {
    listTopics: listTopics(pool),
    createTopic: createTopic(context),
    renameTopic: renameTopic(context),
    mergeTopics: mergeTopics(context),
    setTopicKeywords: setTopicKeywords(context),
    setTopicActive: setTopicActive(context),
    explainKeywords: explainKeywords(context),
    countTopicAnswers: countTopicAnswers(context),
    listTopicAnswers: listTopicAnswers(context),
    reassignTopic: reassignTopic(context),
    findAnswers: findAnswers(context),
    listWithheldAnswers: listWithheldAnswers(context),
    withholdAnswer: withholdAnswer(context),
    showTextStatus: showTextStatus(pool, models),
    rebuildText: rebuildText(context),
    retryText: retryText(context),
    maskTexts: maskTexts(pool, context),
    listTopicModels: listTopicModels(pool),
    rollBackTopicModel: rollBackTopicModel(context),
  };
}

/**
 * Creates a topic and starts a backfill of all answers.
 * @throws ApplicationError `conflict` when another topic has the name (rule TEXTS-TOPICS-3).
 */
function createTopic(context: TopicContext): Handlers<TopicServiceDefinition>['createTopic'] {
  return (request, call) => {
    const name = checkTopicName(request.name);
    const description = checkDescription(request.description);
    const entries = Object.entries(request.keywords).map(([language, { words }]) => [language, checkKeywords(language, words)]);
    const keywords = Object.fromEntries(entries);
    return changeTopics(context, call, async (scope) => {
      const { tx, accountId, state } = scope;
      await checkNameIsFree(scope, name);
      state.topics += 1;
      state.taxonomy_version += 1;
      const key = topicKey(name);
      await insertTopics(tx, accountId, [{ id: state.topics, key, name, description, keywords }]);
      await assignDeferredTopics(tx, accountId, state, [`topic ${key}`]);
      return { after: await findTopic(tx, accountId, name), event: { subject: 'events.topic.created' } };
    });
  };
}

/**
 * Renames a topic. Answers are joined with topic names on read, so the next call returns the new
 * name without a job (rule TEXTS-TOPICS-2). The words that match the topic do not change.
 */
function renameTopic(context: TopicContext): Handlers<TopicServiceDefinition>['renameTopic'] {
  return (request, call) => {
    const name = checkTopicName(request.name);
    return changeTopics(context, call, async (scope) => {
      const { tx, accountId, state } = scope;
      const before = await findTopic(tx, accountId, request.topic);
      if (before.name === name) return { before, after: before };
      if (topicKey(before.name) !== topicKey(name)) await checkNameIsFree(scope, name);
      await rename(tx, accountId, before.topic_id, name);
      await assignDeferredTopics(tx, accountId, state, [`topic ${topicKey(name)}`]);
      return { before, after: await findTopic(tx, accountId, name), event: { subject: 'events.topic.renamed' } };
    });
  };
}

/** Lists all topics of the account, by name. */
function listTopics(pool: Pool): Handlers<TopicServiceDefinition>['listTopics'] {
  return async (_request, call) => {
    const accountId = accountOf(call);
    using result = new LargeResult(accountId);
    return await inAccountSnapshot(pool, accountId, async (tx) => {
      limitResults(tx, result);
      return {
        topics: (await readTopics(tx, accountId)).map(toTopicMessage),
        taxonomy_version: await taxonomyVersion(tx, accountId),
      };
    });
  };
}

/**
 * Replaces a topic's keywords in one language and starts a backfill of all answers, which writes
 * only changed ones.
 */
function setTopicKeywords(context: TopicContext): Handlers<TopicServiceDefinition>['setTopicKeywords'] {
  return ({ topic, language, words }, call) => {
    const checked = checkKeywords(language, words);
    return changeTopics(context, call, async ({ tx, accountId, state }) => {
      const before = await findTopic(tx, accountId, topic);
      const keywords = withLanguage(before.keywords, language, checked);
      if (JSON.stringify(keywords) === JSON.stringify(before.keywords)) return { before, after: before };
      state.taxonomy_version += 1;
      await setSearchWords(tx, accountId, before.topic_id, { ...before, keywords });
      return { before, after: await findTopic(tx, accountId, topic), event: { subject: 'events.topic.keywords_changed' } };
    });
  };
}

/**
 * Activates or deactivates a topic. An inactive one is neither found nor shown; account admins'
 * decisions about it are kept (rule TEXTS-TOPICS-5).
 */
function setTopicActive(context: TopicContext): Handlers<TopicServiceDefinition>['setTopicActive'] {
  return ({ topic, is_active }, call) =>
    changeTopics(context, call, async ({ tx, accountId, state }) => {
      const before = await findTopic(tx, accountId, topic);
      if (before.is_active === is_active) return { before, after: before };
      state.taxonomy_version += 1;
      await tx.query(
        'update text.topic set is_active = $3::boolean, version = version + 1 where account_id = $1::bigint and id = $2::integer',
        [accountId, before.topic_id, is_active],
      );
      return { before, after: await findTopic(tx, accountId, topic), event: { subject: 'events.topic.keywords_changed' } };
    });
}

function withLanguage(keywords: Keywords, language: string, words: readonly string[]): Keywords {
  const { [language]: _replaced, ...others } = keywords;
  const entries = Object.entries(words.length === 0 ? others : { ...others, [language]: words });
  // In PostgreSQL's key order, so that equal keywords compare as equal.
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
