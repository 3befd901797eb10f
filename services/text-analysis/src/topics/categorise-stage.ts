import type { StageWork } from '../jobs/stage-work.ts';
import { languageOf } from '../language.ts';
import { saveFoundTopics } from '../sql/found-topics.ts';
import { queueTexts } from '../sql/queue-again.ts';
import { isCategorisationOn } from '../sql/settings.ts';
import { taxonomyVersion } from '../sql/taxonomy-version.ts';
import { queueUnscored } from '../sql/unscored-pairs.ts';
import type { AssignedTopic, Categoriser, TopicView } from './categoriser.ts';
import { giveStarterTopics } from './give-starter-topics.ts';
import type { FindTopicViews } from './topic-views.ts';

/**
 * Finding topics as a stage: its version is that of the account's taxonomy and of the categoriser. With another one all answers are looked at again, and
 * only what changes is written; what administrators decided stays for ever.
 */
export function categoriseStage(
  categoriser: Categoriser,
  findTopicViews: FindTopicViews,
): StageWork<readonly AssignedTopic[], readonly TopicView[]> {
  return {
    stage: 'categorise',
    basis: categoriser.version,
    event: 'events.text.categorised',
    wantedVersion: async (tx, accountId) => {
      if (!(await isCategorisationOn(tx, accountId))) return null;
      await giveStarterTopics(tx, accountId);
      return `${await taxonomyVersion(tx, accountId)} ${categoriser.version}`;
    },
    queueOutdated: async (tx, accountId, _version, range) => {
      await queueTexts(tx, accountId, 'categorise', range);
    },
    prepare: findTopicViews,
    perform: (_accountId, _version, { text }, topics) => categoriser.assign({ text, language: languageOf(text), topics }),
    save: async (tx, accountId, state, _version, done) => {
      const saved = await saveFoundTopics(tx, accountId, categoriser.version, done);
      const scorer = state.stages.get('sentiment');
      if (scorer !== undefined) await queueUnscored(tx, accountId, scorer, saved);
      return saved;
    },
  };
}
