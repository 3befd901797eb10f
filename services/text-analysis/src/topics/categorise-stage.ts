import type { StageDefinition } from '../stages/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { saveFoundTopics, type AssignedTopic } from './found-topics.ts';
import { queueTexts } from '../stages/requeue-answers.ts';
import { isCategorisationOn, defaultLanguage } from '../tables/settings.ts';
import { taxonomyVersion, type FindTopicViews } from './topic-views.ts';
import { queueUnscored } from '../sentiment/unscored-pairs.ts';
import type { Categorisers } from './account-categorisers.ts';
import type { Categoriser, TopicView } from './categoriser.ts';
import type { Client } from '@survey/postgres/database.ts';
import { assignDeferredTopics } from '../facts/apply-topics.ts';
import { lockAccountState, saveAccountState } from '../tables/account-state.ts';
import { insertTopics } from './topic-aliases.ts';
import { starterTopics } from './starter-topics.ts';
import { topicKey } from '../rules/topic-key.ts';

interface Prepared {
  readonly topics: readonly TopicView[];
  readonly categoriser: Categoriser;
}

const SEPARATOR = ' ';

/**
 * Defines categorisation as a stage. Its version combines taxonomy, categoriser and topic model; a
 * change processes all answers again and writes only differences. Account admins' decisions never
 * change.
 */
export function categoriseStage(
  { modelVersion, findCategoriser }: Categorisers,
  findTopicViews: FindTopicViews,
): StageDefinition<readonly AssignedTopic[], Prepared> {
  return {
    stage: 'categorise',
    basis: modelVersion,
    event: 'events.text.categorised',
    wantedVersion: async (tx, accountId) => {
      if (!(await isCategorisationOn(tx, accountId))) return null;
      await createStarterTopics(tx, accountId);
      const { version } = await findCategoriser(tx, accountId);
      return `${await taxonomyVersion(tx, accountId)}${SEPARATOR}${version}`;
    },
    queueOutdated: async (tx, accountId, _version, range) => {
      await queueTexts(tx, accountId, 'categorise', range);
    },
    prepare: async (tx, accountId) => ({
      topics: await findTopicViews(tx, accountId),
      categoriser: await findCategoriser(tx, accountId),
    }),
    perform: (_accountId, _version, { text, expectedLanguage }, { topics, categoriser }) =>
      categoriser.assign({ text, language: languageOf(text, expectedLanguage), topics }),
    save: async (tx, accountId, state, version, done) => {
      // The taxonomy's version is left out, so that an unchanged assignment is not written again.
      const saved = await saveFoundTopics(tx, accountId, version.slice(version.indexOf(SEPARATOR) + SEPARATOR.length), done);
      const scorer = state.stages.get('sentiment');
      if (scorer !== undefined) await queueUnscored(tx, accountId, scorer, saved);
      return saved;
    },
  };
}

/**
 * Creates the starter topics, once, for an account that has never had a topic. Names are in the
 * language of the account's integration.
 */
async function createStarterTopics(tx: Client, accountId: number): Promise<void> {
  const state = await lockAccountState(tx, accountId);
  // Number of topics ever created; merging does not reduce it.
  if (state.topics > 0) return;
  const topics = starterTopics(await defaultLanguage(tx, accountId)).map(({ name, keywords }) => ({
    id: ++state.topics,
    key: topicKey(name),
    name,
    description: null,
    keywords: Object.fromEntries(keywords),
  }));
  state.taxonomy_version += 1;
  await insertTopics(tx, accountId, topics);
  await saveAccountState(tx, accountId, state);
  const awaited = topics.map(({ key }) => `topic ${key}`);
  await assignDeferredTopics(tx, accountId, state, awaited);
}
