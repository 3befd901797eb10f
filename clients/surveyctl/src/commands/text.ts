import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import type { SetSettingsRequest, Settings } from '@survey/proto/admin/v1/admin.ts';
import type { TopicServiceDefinition } from '@survey/proto/text/v1/topics.ts';
import type { BoundUpstream } from '@survey/rpc/upstream.ts';
import { InvalidArgumentError } from 'commander';
import { ACCOUNT } from '../arguments.ts';
import { type AddCommand, argument, command, flag, group, optional, type Output } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { print, renderFields } from '../output.ts';
import { renderTextStatus, STAGES, textStatusJson } from '../text-rendering.ts';
import { model } from './text-model.ts';
import { rebuild } from './text-rebuild.ts';

const STATUS = `
TO DO counts the unprocessed answers of a stage, including those in progress. LAG is the age of the oldest pending one. STATE is
planning for some seconds after settings, topics or a model change. To enable a stage, use settings set (masking, categorisation).

Example:
  $ npx surveyctl text status --account 1`;

const status = command('status', {
  about: 'show the progress of each stage and the answers it gave up',
  help: STATUS,
  inputs: { account: ACCOUNT },
  run: async (admin, { account }) => {
    const status = await admin.topics(account).showTextStatus({});
    return { json: textStatusJson(status), text: () => renderTextStatus(status) };
  },
});

const RETRY = `
An answer is given up after five failed attempts, or two that ended the process. text status shows the reasons.

Example:
  $ npx surveyctl text retry --account 1 --stage mask`;

const retry = command('retry', {
  about: 'process the answers again that were given up',
  help: RETRY,
  inputs: { account: ACCOUNT, stage: optional('--stage <stage>', 'only answers of this stage', STAGES) },
  run: async (admin, { account, stage }) => {
    const { queued } = await admin.topics(account).retryText({ stage });
    return { json: { queued }, text: () => renderFields({ queued: String(queued) }) };
  },
});

const ALLOW_HELP = `
The list has names of companies, products and teams, which masking otherwise takes for names of people. A name of several words allows
each of its words. A word in the name of an employee is always masked. Options of the account's attributes need no entry for the
masking model. Texts that are masked already stay as they are; to mask them again, use text rebuild --stage mask.

Examples:
  $ npx surveyctl text allow-list add --account 1 Orion "Contoso Drive"
  $ npx surveyctl text allow-list list --account 1`;

interface WordList {
  readonly name: 'allow-list' | 'deny-list';
  readonly description: string;
  readonly help: string;
  readonly add: string;
  readonly remove: string;
  readonly argument: string;
  readonly read: (settings: Settings) => readonly string[];
  readonly write: (words: string[]) => Pick<SetSettingsRequest, 'masking_allowed_names' | 'masking_denied_words'>;
}

const ALLOWED: WordList = {
  name: 'allow-list',
  description: 'manage the names that masking leaves visible',
  help: ALLOW_HELP,
  add: 'leave names visible',
  remove: 'mask names again',
  argument: 'names, such as of products',
  read: ({ masking_allowed_names: names }) => names,
  write: (names) => ({ masking_allowed_names: { names } }),
};

const DENY_HELP = `
Hides words in all texts as [NAME] from the next call on, with or without masking: for a name that masking missed. A word is found in any
case, with and without accents, also before an s. Adding and removing need --reason; the audit log does not contain the words.

Example:
  $ npx surveyctl text deny-list add --account 1 Oduya --reason "missed name, ticket 17"`;

const DENIED: WordList = {
  name: 'deny-list',
  description: 'manage the words that are hidden in every text',
  help: DENY_HELP,
  add: 'hide words',
  remove: 'show words again',
  argument: 'words, such as names',
  read: ({ masking_denied_words: words }) => words,
  write: (words) => ({ masking_denied_words: { words } }),
};

function wordList(words: WordList): AddCommand {
  const show = command('list', {
    about: 'show them',
    inputs: { account_id: ACCOUNT },
    run: async (admin, account) => outputOf(words.read(await admin.showSettings(account))),
  });
  const list = group(words.name, words.description, [
    wordChange(words, 'add', (before, changed) => [...before, ...changed]),
    wordChange(words, 'remove', (before, changed) => before.filter((word) => !changed.includes(word))),
    show,
  ]);
  return (text) => list(text).addHelpText('after', words.help);
}

type Change = (before: readonly string[], changed: readonly string[]) => string[];

const wordChange = (words: WordList, name: 'add' | 'remove', change: Change): AddCommand =>
  command(name, {
    about: words[name],
    inputs: { changed: argument<string[]>('<word...>', words.argument), account_id: ACCOUNT },
    run: async (admin, { changed, account_id }) => {
      const before = await admin.showSettings({ account_id });
      const after = await admin.setSettings({
        account_id,
        masking_categories: null,
        ...words.write(change(words.read(before), changed)),
        expected_version: before.version,
      });
      return outputOf(words.read(after));
    },
  });

const outputOf = (names: readonly string[]): Output => ({ json: { names }, text: () => names.join('\n') });

const WITHHOLD_HELP = `
Withholds one answer from the next call on. Reads its released text from standard input, or names it by --handle, as the audit log does.
Its respondent still counts. --undo releases it again. Needs --reason.

Example:
  $ npx surveyctl text withhold --account 1 --reason "names a colleague, ticket 17" < answer.txt`;

const withhold = command('withhold', {
  about: 'withhold one released answer',
  help: WITHHOLD_HELP,
  inputs: {
    account: ACCOUNT,
    namedHandle: optional('--handle <handle>', 'the answer, instead of its text'),
    isUndone: flag('--undo', 'release the answer of --handle again'),
  },
  run: async (admin, { account, namedHandle, isUndone }) => {
    if (isUndone && namedHandle === undefined)
      throw new CommandError('cannot release an answer: --undo requires --handle, which audit list shows', EXIT.usage);
    const handle = namedHandle ?? (await handleOfText(admin.topics(account), await readAll(process.stdin)));
    await admin.topics(account).withholdAnswer({ handle, is_withheld: !isUndone });
    return { json: { handle }, text: () => renderFields({ handle }) };
  },
});

async function handleOfText(topics: Pick<BoundUpstream<TopicServiceDefinition>, 'findAnswers'>, text: string): Promise<string> {
  const { handles } = await topics.findAnswers({ text });
  const [handle, ...others] = handles;
  if (handle === undefined) throw new CommandError('cannot withhold: no released answer has exactly this text');
  if (others.length > 0)
    throw new CommandError(
      `cannot withhold: ${handles.length} answers have this text, name one by --handle: ${handles.join(', ')}`,
    );
  return handle;
}

// A person who types sees each line at once.
const BATCH = process.stdin.isTTY ? 1 : 100;

const MASK_HELP = `
Reads lines from standard input and prints each one masked. Uses the account's employees and categories, or all categories while
masking is off. Nothing is stored or logged. With --json, each line is an object with the language whose rules were applied and the
masks: category, UTF-16 offsets and rule.

Example:
  $ echo 'Ask Maria Becker, +49 30 901820.' | npx surveyctl text mask --account 1 --language en`;

const mask = command('mask', {
  about: 'show what masking replaces in lines of text',
  help: MASK_HELP,
  inputs: {
    account: ACCOUNT,
    language: optional('--language <code>', "language that the lines are probably in (default: the account's)", parseLanguage),
  },
  run: async (admin, { account, language }, command) => {
    let lines: string[] = [];
    const flush = async (): Promise<void> => {
      const { texts } = await admin.topics(account).maskTexts({ texts: lines, language });
      for (const masked of texts) print(command, masked, () => masked.text);
      lines = [];
    };
    for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
      lines.push(line);
      if (lines.length === BATCH) await flush();
    }
    if (lines.length > 0) await flush();
  },
});

export const text = group('text', 'manage the analysis of free-text answers: masking, topics, sentiment', [
  status,
  mask,
  wordList(ALLOWED),
  wordList(DENIED),
  withhold,
  rebuild,
  retry,
  model,
]);

function parseLanguage(text: string): string {
  if (!/^[a-z]{2}$/.test(text)) throw new InvalidArgumentError('It must be an ISO 639-1 code, such as de.');
  return text;
}
