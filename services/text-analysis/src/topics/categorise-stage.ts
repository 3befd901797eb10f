import type { StageDefinition } from '../stages/stage-definition.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { saveFoundTopics } from './found-topics.ts';
import { queueTexts } from '../stages/requeue-answers.ts';
import { isCategorisationOn } from '../tables/settings.ts';
import { taxonomyVersion } from './taxonomy-version.ts';
import { queueUnscored } from '../sentiment/unscored-pairs.ts';
import type { Categorisers } from './account-categorisers.ts';
import type { AssignedTopic } from './found-topics.ts';
import type { Categoriser, TopicView } from './categoriser.ts';
import { createStarterTopics } from './create-starter-topics.ts';
import type { FindTopicViews } from './topic-views.ts';

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
