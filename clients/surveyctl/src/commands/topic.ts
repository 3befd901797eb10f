import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print } from '../output.ts';
import { printChange, renderTopics, topicsJson } from '../topic-rendering.ts';
import { addTopicCreate } from './topic-create.ts';
import { addTopicKeywords } from './topic-keywords.ts';

const NAME = 'current name in any case, with exact white space and punctuation';

export function addTopicCommands(program: Command): void {
  const topic = program.command('topic').description('manage the topics of an account');
  addList(topic);
  addTopicCreate(topic);
  addRename(topic);
  addMerge(topic);
  addTopicKeywords(topic, NAME);
}

function addList(topic: Command): void {
  topic
    .command('list')
    .description('list the topics of an account with their numbers of answers')
    .addOption(accountOption())
    .addHelpText(
      'after',
      '\nWith --json, the output contains their keywords.\n\nExample:\n  $ npx surveyctl topic list --account 1',
    )
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const list = await admin.topics(account).listTopics({});
        print(command, topicsJson(list), () => renderTopics(list));
      }),
    );
}

const RENAME = `
All answers with the topic show the new name immediately. Topics are assigned by keywords and the original name, which do not change.
To assign the topic by its new name as well, add it to the keywords (topic keywords).

Example:
  $ npx surveyctl topic rename --account 1 --topic Pay --name "Pay and benefits"`;

function addRename(topic: Command): void {
  topic
    .command('rename')
    .description('rename a topic, also in existing answers')
    .addOption(accountOption())
    .requiredOption('--topic <name>', NAME)
    .requiredOption('--name <name>', 'new name, unique regardless of case')
    .addHelpText('after', RENAME)
    .action(
      withConnection<[{ account: number; topic: string; name: string }]>(async (admin, command, { account, topic, name }) => {
        printChange(command, await admin.topics(account).renameTopic({ topic, name }));
      }),
    );
}

const MERGE = `
Assigns all answers of the topic to the other one and deletes the topic, irreversibly. Decisions of account admins take precedence over
automatic assignments, and removals stay removals. The remaining topic has the keywords of both.

Example:
  $ npx surveyctl topic merge --account 1 --topic Salaries --into Pay`;

function addMerge(topic: Command): void {
  topic
    .command('merge')
    .description('merge a topic into another one')
    .addOption(accountOption())
    .requiredOption('--topic <name>', `topic to delete: ${NAME}`)
    .requiredOption('--into <name>', 'topic to keep')
    .addHelpText('after', MERGE)
    .action(
      withConnection<[{ account: number; topic: string; into: string }]>(async (admin, command, { account, topic, into }) => {
        printChange(command, await admin.topics(account).mergeTopics({ topic, into }));
      }),
    );
}
