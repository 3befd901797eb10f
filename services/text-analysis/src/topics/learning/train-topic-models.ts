import type { AccountWork } from '@survey/bus/account-work.ts';
import { inAccount, inAccountSnapshot, type Pool } from '@survey/postgres/database.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import { languageOf } from '@survey/text/words/language.ts';
import { lockAccountState } from '../../tables/account-state.ts';
import { readDecidedAnswers, type DecidedAnswer } from './decided-answers.ts';
import {
  accountsToTrain,
  deleteOldTopicModels,
  insertTopicModel,
  readTopicModelState,
  saveTopicModelState,
  type TopicModelState,
} from './topic-models.ts';
import type { TopicView } from '../categoriser.ts';
import type { TopicExample } from './train-topics.ts';
import type { FindTopicViews } from '../topic-views.ts';
import { trainInWorker, type TrainingSet, type TrainingResult } from './train-in-worker.ts';

interface TrainingContext {
  readonly pool: Pool;
  readonly findTopicViews: FindTopicViews;
  // Number of new decisions that starts a training.
  readonly afterDecisions: number;
}

const MAX_ANSWERS = 10_000;
// Answers times topics: about a minute of one core.
const MAX_JUDGEMENTS = 250_000;
const KEPT = 3;

/**
 * Trains topic models on account admins' decisions. A model is trained after enough new decisions,
 * and becomes active only when it beats the keywords on decisions held out from its training.
 */
export function trainingWork(training: TrainingContext, context: ServiceContext): AccountWork {
  return {
    kind: 'train',
    concurrency: 1,
    sweep: (pool) => accountsToTrain(pool, training.afterDecisions),
    work: async (accountId) => {
      const trained = await trainAccount(training, accountId);
      if (trained === undefined) return undefined;
      context.log.info({ account_id: accountId, ...trained.report }, 'topic model trained');
      return undefined;
    },
  };
}

// Undefined when there are too few new decisions, or another process trained first.
async function trainAccount(
  { pool, findTopicViews, afterDecisions }: TrainingContext,
  accountId: number,
): Promise<TrainingResult | undefined> {
  const begun = await inAccountSnapshot(
    pool,
    accountId,
    async (tx): Promise<{ learning: TopicModelState; lesson: TrainingSet } | undefined> => {
      const learning = await readTopicModelState(tx, accountId);
      if (learning.decisions < learning.decisionsThen + afterDecisions) return undefined;
      const topics = await findTopicViews(tx, accountId);
      const maxAnswers = Math.min(MAX_ANSWERS, Math.floor(MAX_JUDGEMENTS / Math.max(1, topics.length)));
      const examples = (await readDecidedAnswers(tx, accountId, maxAnswers)).map((answer) => exampleOf(answer, topics));
      return { learning, lesson: { topics, examples } };
    },
  );
  if (begun === undefined) return undefined;
  const { learning, lesson } = begun;
  const trained = await trainInWorker(lesson);
  const isOurs = await inAccount(pool, accountId, async (tx) => {
    await lockAccountState(tx, accountId);
    const now = await readTopicModelState(tx, accountId);
    if (now.decisionsThen !== learning.decisionsThen || now.lastVersion !== learning.lastVersion) return false;
    const version = learning.lastVersion + 1;
    await insertTopicModel(tx, accountId, { version, model: trained.model, ...trained.report });
    const activeVersion = trained.report.improves ? version : learning.activeVersion;
    await saveTopicModelState(tx, accountId, { activeVersion, lastVersion: version, decisions: learning.decisions });
    await deleteOldTopicModels(tx, accountId, KEPT);
    return true;
  });
  return isOurs ? trained : undefined;
}

// An admin who decides about an answer has read it, so topics that it does not have afterwards do
// not apply. Without these negative examples, an admin who only assigns would train that every
// topic always applies.
function exampleOf({ text, expectedLanguage, assigned, found }: DecidedAnswer, topics: readonly TopicView[]): TopicExample {
  const absent = topics.map(({ topicId }) => topicId).filter((id) => !assigned.includes(id) && !found.includes(id));
  return { text, language: languageOf(text, expectedLanguage), present: assigned, absent };
}
