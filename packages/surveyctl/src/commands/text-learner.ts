import { Option, type Command } from 'commander';
import type { TopicModel, ListTopicModelsResponse } from '@survey/rpc/gen/survey/text/v1/topics.ts';
import { accountOption, parsePositive } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print, renderTable, renderTime } from '../output.ts';

export function addTextLearner(text: Command): void {
  const learner = text.command('learner').description("what was learned from administrators' decisions about topics of answers");
  addList(learner);
  addRollback(learner);
}

const LIST = `
A learner is trained whenever administrators have decided about some 50 more answers, and used only when it finds what they decided better than the keywords
do: F1 is measured on decisions that were kept from it. The last three are kept.

Example:
  $ npx surveyctl text learner list --account 1`;

function addList(learner: Command): void {
  learner
    .command('list')
    .description('list the learners of an account, newest first')
    .addOption(accountOption())
    .addHelpText('after', LIST)
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        printLearners(command, await admin.topics(account).listTopicModels({}));
      }),
    );
}

const ROLLBACK = `
All answers are then looked at again in the background. It stays so until there are enough new decisions for the next training.

Examples:
  $ npx surveyctl text learner rollback --account 1
  $ npx surveyctl text learner rollback --account 1 --to none`;

function addRollback(learner: Command): void {
  learner
    .command('rollback')
    .description('use an earlier learner, or none')
    .addOption(accountOption())
    .addOption(
      new Option('--to <version>', 'a version, or none: keywords alone; else the one before the active one').argParser((text) =>
        text === 'none' ? 0 : parsePositive(text),
      ),
    )
    .addHelpText('after', ROLLBACK)
    .action(
      withConnection<[{ account: number; to?: number }]>(async (admin, command, { account, to }) => {
        printLearners(command, await admin.topics(account).rollBackTopicModel({ version: to }));
      }),
    );
}

function printLearners(command: Command, { learners, new_decisions }: ListTopicModelsResponse): void {
  const json = { learners, active: learners.find(({ is_active }) => is_active)?.version ?? null, new_decisions };
  print(command, json, () =>
    [
      renderTable(['VERSION', 'TRAINED', 'ANSWERS', 'F1 OF KEYWORDS', 'F1 LEARNED', 'ACTIVE'], learners.map(rowOf)),
      '',
      `${new_decisions} decisions since then.`,
    ].join('\n'),
  );
}

function rowOf({ version, trained_at, examples, keywords_f1, learned_f1, is_active }: TopicModel): string[] {
  const f1 = (value: number): string => value.toFixed(3);
  return [String(version), renderTime(trained_at), String(examples), f1(keywords_f1), f1(learned_f1), is_active ? 'yes' : ''];
}
