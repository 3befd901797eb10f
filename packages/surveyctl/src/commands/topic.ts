import type { Command } from 'commander';
import { accountOption } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { print } from '../output.ts';
import { printChange, renderTopics, topicsJson } from '../topic-rendering.ts';
import { addTopicCreate } from './topic-create.ts';
import { addTopicKeywords } from './topic-keywords.ts';

const NAME = 'the name as it is, in any case; white space and punctuation count';

export function addTopicCommands(program: Command): void {
  const topic = program.command('topic').description("what an account's answers can be about");
  addList(topic);
  addTopicCreate(topic);
  addRename(topic);
  addMerge(topic);
  addTopicKeywords(topic, NAME);
}

function addList(topic: Command): void {
  topic
    .command('list')
    .description('list the topics of an account, with the number of answers that have them')
    .addOption(accountOption())
    .addHelpText('after', '\nWith --json also their keywords.\n\nExample:\n  $ npx surveyctl topic list --account 1')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const list = await admin.topics(account).listTopics({});
        print(command, topicsJson(list), () => renderTopics(list));
      }),
    );
}

const RENAME = `
Every answer that was ever given the topic shows the new name from the next call on. What the topic is found by stays: its keywords, and the name it
began with. To have it found by the new name too, add that to its keywords (topic keywords).

Example:
  $ npx surveyctl topic rename --account 1 --topic Pay --name "Pay and benefits"`;

function addRename(topic: Command): void {
  topic
    .command('rename')
    .description('give a topic another name, in old answers too')
    .addOption(accountOption())
    .requiredOption('--topic <name>', NAME)
    .requiredOption('--name <name>', 'what it is to be called; no other topic may have it, in whatever case')
    .addHelpText('after', RENAME)
    .action(
      withConnection<[{ account: number; topic: string; name: string }]>(async (admin, command, { account, topic, name }) => {
        printChange(command, await admin.topics(account).renameTopic({ topic, name }));
      }),
    );
}

const MERGE = `
Every answer of the topic gets the other one instead, and the topic is gone: this cannot be undone. What administrators decided about an answer wins over
what was found automatically, and a removal stays one. The topic that stays is found by the keywords of both.

Example:
  $ npx surveyctl topic merge --account 1 --topic Salaries --into Pay`;

function addMerge(topic: Command): void {
  topic
    .command('merge')
    .description('make two topics one')
    .addOption(accountOption())
    .requiredOption('--topic <name>', `the topic that goes: ${NAME}`)
    .requiredOption('--into <name>', 'the topic that stays')
    .addHelpText('after', MERGE)
    .action(
      withConnection<[{ account: number; topic: string; into: string }]>(async (admin, command, { account, topic, into }) => {
        printChange(command, await admin.topics(account).mergeTopics({ topic, into }));
      }),
    );
}
