import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { Handlers } from '@survey/rpc/serve.ts';
import type { GetRoster } from '../masking/roster.ts';
import type { Listing } from '../release/released-answers.ts';
import type { StageModels } from '../stages/show-text-status.ts';
import { createTopic } from './create-topic.ts';
import { listTopicModels } from './learning/list-topic-models.ts';
import { countTopicAnswers, listTopicAnswers } from './list-topic-answers.ts';
import { listTopics } from './list-topics.ts';
import { maskTexts } from '../masking/mask-texts.ts';
import { mergeTopics } from './merge-topics.ts';
import { reassignTopic } from './reassign-topic.ts';
import { rebuildText } from '../stages/retry-text.ts';
import { renameTopic } from './rename-topic.ts';
import { retryText } from '../stages/retry-text.ts';
import { rollBackTopicModel } from './learning/roll-back-topic-model.ts';
import { setTopicKeywords } from './set-topic-keywords.ts';
import { showTextStatus } from '../stages/show-text-status.ts';

/** Creates the operator calls for topics and stages. `wake` signals the relay and the backfill. */
export function topicHandlers(
  listing: Listing,
  models: readonly StageModels[],
  { wake, findRoster }: { readonly wake: (accountId: number) => void; readonly findRoster: GetRoster },
): Handlers<TopicServiceDefinition> {
  const { pool, masker } = listing;
  const tools = { pool, wake };
  return {
    listTopics: listTopics(pool),
    createTopic: createTopic(tools),
    renameTopic: renameTopic(tools),
    mergeTopics: mergeTopics(tools),
    setTopicKeywords: setTopicKeywords(tools),
    countTopicAnswers: countTopicAnswers(listing),
    listTopicAnswers: listTopicAnswers(listing),
    reassignTopic: reassignTopic(tools, listing),
    showTextStatus: showTextStatus(pool, models),
    rebuildText: rebuildText(tools),
    retryText: retryText(tools),
    maskTexts: maskTexts(pool, { masker, findRoster }),
    listTopicModels: listTopicModels(pool),
    rollBackTopicModel: rollBackTopicModel(tools),
  };
}
