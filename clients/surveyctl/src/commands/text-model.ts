import { Option, type Command } from 'commander';
import type { TopicModel, ListTopicModelsResponse } from '@survey/proto/text/v1/topics.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderTable, renderTime } from '../output.ts';

export function addTextModel(text: Command): void {
  const model = text.command('model').description("manage the topic models trained from account admins' decisions");
  addList(model);
  addRollback(model);
}

const LIST = `
A model is trained after about 50 new decisions about topics of answers. It is used only if it predicts decisions excluded from the
training better (F1) than the keywords do. The last three models are stored.

Example:
  $ npx surveyctl text model list --account 1`;

function addList(model: Command): void {
  model
    .command('list')
    .description('list the topic models of an account, newest first')
    .addOption(accountOption())
    .addHelpText('after', LIST)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        printModels(command, await admin.topics(account).listTopicModels({}));
      }),
    );
}

const ROLLBACK = `
All answers are then processed again in the background. The model remains in use until the next training.

Examples:
  $ npx surveyctl text model rollback --account 1
  $ npx surveyctl text model rollback --account 1 --to none`;

function addRollback(model: Command): void {
  model
    .command('rollback')
    .description('use an earlier topic model, or none')
    .addOption(accountOption())
    .addOption(
      new Option(
        '--to <version>',
        'version of the model, or none to use only keywords (default: the version before the active one)',
      ).argParser((text) => (text === 'none' ? 0 : parsePositive(text))),
    )
    .addHelpText('after', ROLLBACK)
    .action(
      withConnection<[{ account: number; to?: number }]>(async (admin, command, { account, to }) => {
        printModels(command, await admin.topics(account).rollBackTopicModel({ version: to }));
      }),
    );
}

function printModels(command: Command, { models, new_decisions }: ListTopicModelsResponse): void {
  const json = { models, active: models.find(({ is_active }) => is_active)?.version ?? null, new_decisions };
  print(command, json, () =>
    [
      renderTable(['VERSION', 'TRAINED', 'ANSWERS', 'F1 OF KEYWORDS', 'F1 LEARNED', 'ACTIVE'], models.map(rowOf)),
      '',
      `${new_decisions} decisions since the last training.`,
    ].join('\n'),
  );
}

function rowOf({ version, trained_at, examples, keywords_f1, model_f1, is_active }: TopicModel): string[] {
  const f1 = (value: number): string => value.toFixed(3);
  return [String(version), renderTime(trained_at), String(examples), f1(keywords_f1), f1(model_f1), is_active ? 'yes' : ''];
}
