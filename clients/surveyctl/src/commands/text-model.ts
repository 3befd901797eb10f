import type { TopicModel, ListTopicModelsResponse } from '@survey/proto/text/v1/topics.ts';
import { ACCOUNT, parsePositive } from '../arguments.ts';
import { command, group, optional, type Output } from '../command.ts';
import { renderTable, renderTime } from '../output.ts';

const LIST = `
A model is trained after about 50 new decisions about topics of answers. It is used only if it predicts decisions excluded from the
training better (F1) than the keywords do. The last three models are stored.

Example:
  $ npx surveyctl text model list --account 1`;

const list = command('list', {
  about: 'list the topic models of an account, newest first',
  help: LIST,
  inputs: { account: ACCOUNT },
  run: async (admin, { account }) => outputOf(await admin.topics(account).listTopicModels({})),
});

const ROLLBACK = `
All answers are then processed again in the background. The model remains in use until the next training.

Examples:
  $ npx surveyctl text model rollback --account 1
  $ npx surveyctl text model rollback --account 1 --to none`;

const rollback = command('rollback', {
  about: 'use an earlier topic model, or none',
  help: ROLLBACK,
  inputs: {
    account: ACCOUNT,
    version: optional(
      '--to <version>',
      'version of the model, or none to use only keywords (default: the version before the active one)',
      (text) => (text === 'none' ? 0 : parsePositive(text)),
    ),
  },
  run: async (admin, { account, version }) => outputOf(await admin.topics(account).rollBackTopicModel({ version })),
});

export const model = group('model', "manage the topic models trained from account admins' decisions", [list, rollback]);

function outputOf({ models, new_decisions }: ListTopicModelsResponse): Output {
  const head = ['VERSION', 'TRAINED', 'ANSWERS', 'F1 OF KEYWORDS', 'F1 LEARNED', 'ACTIVE'];
  return {
    json: { models, active: models.find(({ is_active }) => is_active)?.version ?? null, new_decisions },
    text: () => `${renderTable(head, models.map(rowOf))}\n\n${new_decisions} decisions since the last training.`,
  };
}

function rowOf({ version, trained_at, examples, keywords_f1, model_f1, is_active }: TopicModel): string[] {
  const f1 = (value: number): string => value.toFixed(3);
  return [String(version), renderTime(trained_at), String(examples), f1(keywords_f1), f1(model_f1), is_active ? 'yes' : ''];
}
