import { InvalidArgumentError, Option, type Command } from 'commander';
import type { SetSettingsRequest } from '@survey/proto/admin/v1/admin.ts';
import { accountOption, parseGuard } from '../arguments.ts';
import { withConnection } from '../with-connection.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { print } from '../output.ts';
import { renderSettings, settingsJson } from '../settings-rendering.ts';

const CATEGORIES = ['name', 'email', 'phone', 'address', 'id'];
const NOTICES = ['cancelled', 'identity', 'late', 'key_expiry'];

export function addSettingsCommands(program: Command): void {
  const settings = program.command('settings').description('manage the settings of an account: text responses and rate limit');
  addShow(settings);
  addSet(settings);
}

function addShow(settings: Command): void {
  settings
    .command('show')
    .description('show the effective settings')
    .addOption(accountOption())
    .addHelpText('after', '\nExample:\n  $ npx surveyctl settings show --account 1 --json')
    .action(
      withConnection<[{ account: number }]>(async (admin, command, { account }) => {
        const settings = await admin.showSettings({ account_id: account });
        print(command, settingsJson(settings), () => renderSettings(settings));
      }),
    );
}

interface SetOptions {
  account: number;
  textFilterAttribute?: string;
  maskingEntitled?: boolean;
  masking?: boolean;
  maskingCategories?: string[];
  categorisation?: boolean;
  rateLimit?: number;
  retainOutcomes?: number;
  retainOffboarded?: number;
  retainAnswers?: number;
  retainAudit?: number;
  erasedAnswers?: string;
  disclosureGuard?: string;
  guardSettlingHours?: number;
  importSchedule?: string;
  importScheduleHour?: number;
  noticesOff?: string[];
  maxKeyDays?: number;
}

const EXAMPLE = `
Omitted settings keep their values. Each change creates a version, is audited, and is effective within 1 s (the rate limit within 10 s).

Examples:
  $ npx surveyctl settings set --account 1 --text-filter-attribute Country
  $ npx surveyctl settings set --account 1 --masking-entitled true --masking on --masking-categories name,email
  $ npx surveyctl settings set --account 1 --rate-limit 12000
  $ npx surveyctl settings set --account 1 --import-schedule daily --import-schedule-hour 6
  $ npx surveyctl settings set --account 1 --disclosure-guard strict
  $ npx surveyctl settings set --account 1 --disclosure-guard off --reason "works council, 12 May"`;

const textOptions = (): Option[] => [
  new Option('--text-filter-attribute <name>', 'attribute that text responses can be filtered by, or none').argParser(
    parseAttribute,
  ),
  choice('--masking-entitled <true|false>', 'whether masking is available to the account', 'true', 'false'),
  choice('--masking <on|off>', 'mask personal information in text responses before release', 'on', 'off'),
  new Option('--masking-categories <list>', `categories to mask, of ${CATEGORIES.join(',')}`).argParser(parseCategories),
  choice('--categorisation <on|off>', 'assign topics and sentiment to text responses', 'on', 'off'),
];

const accountOptions = (): Option[] => [
  new Option('--rate-limit <requests>', 'requests per key and minute, or default').argParser(parseRateLimit),
  retention('outcomes', 'outcomes of imported records are kept after their import'),
  retention('offboarded', 'employees are kept after their offboarding; then they are erased'),
  retention('answers', 'answers and texts are kept after the end of their cycle'),
  retention('audit', 'entries of the audit log are kept'),
  new Option(
    '--disclosure-guard <strict|off>',
    'release scores and texts from blocks of closed cycles only; off needs --reason',
  ).argParser(parseGuard),
  new Option('--guard-settling-hours <hours>', 'hours between the end of a cycle and its release under strict').argParser(
    parseHours,
  ),
  new Option('--import-schedule <times>', 'when snapshots are expected; learned: as in the last two weeks').choices([
    'daily',
    'weekly',
    'learned',
  ]),
  new Option(
    '--import-schedule-hour <hour>',
    'hour (UTC, 0 to 23) by which a daily or weekly snapshot has come, or none',
  ).argParser(parseScheduleHour),
  new Option('--notices-off <list>', `mails that nobody gets, of ${NOTICES.join(',')}, or none`).argParser(parseNotices),
  new Option('--max-key-days <days>', 'days for which a new API key is valid at most, or none').argParser(parseDaysOr('none')),
  new Option('--erased-answers <ruling>', 'what happens to the answers of an erased employee').choices(['anonymise', 'delete']),
];

function addSet(settings: Command): void {
  const set = settings.command('set').description('change settings').addOption(accountOption());
  for (const option of [...textOptions(), ...accountOptions()]) set.addOption(option);
  set.addHelpText('after', EXAMPLE).action(
    withConnection<[SetOptions]>(async (admin, command, options) => {
      if (Object.keys(options).length < 2)
        throw new CommandError('cannot change the settings: at least one setting is required', EXIT.usage);
      const settings = await admin.setSettings(requestOf(options));
      print(command, settingsJson(settings), () => renderSettings(settings));
    }),
  );
}

function requestOf(options: SetOptions): SetSettingsRequest {
  const { maskingCategories } = options;
  return {
    account_id: options.account,
    text_filter_attribute: options.textFilterAttribute,
    masking_entitled: options.maskingEntitled,
    masking: options.masking,
    masking_categories: maskingCategories === undefined ? null : { names: maskingCategories },
    categorisation: options.categorisation,
    rate_limit: options.rateLimit,
    retain_outcomes_days: options.retainOutcomes,
    retain_offboarded_days: options.retainOffboarded,
    retain_answers_days: options.retainAnswers,
    retain_audit_days: options.retainAudit,
    erased_answers: options.erasedAnswers,
    disclosure_guard: options.disclosureGuard,
    guard_settling_hours: options.guardSettlingHours,
    import_schedule: options.importSchedule,
    max_key_days: options.maxKeyDays,
    import_schedule_hour: options.importScheduleHour,
    notices_off: options.noticesOff === undefined ? undefined : { kinds: options.noticesOff },
  };
}

// An empty script variable must not count as a value.
function parseAttribute(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the name of an attribute, or none.');
  return text === 'none' ? '' : text;
}

function parseRateLimit(text: string): number {
  if (text === 'default') return 0;
  if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) > 1_000_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000000, or default.');
  return Number(text);
}

function retention(kind: string, what: string): Option {
  return new Option(`--retain-${kind} <days>`, `days for which ${what}, or default`).argParser(parseDaysOr('default'));
}

const parseDaysOr =
  (word: string) =>
  (text: string): number => {
    if (text === word) return 0;
    if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > 3_650)
      throw new InvalidArgumentError(`It must be a whole number from 1 to 3650, or ${word}.`);
    return Number(text);
  };

function parseHours(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text) || Number(text) > 720)
    throw new InvalidArgumentError('It must be a whole number from 1 to 720.');
  return Number(text);
}

function parseScheduleHour(text: string): number {
  if (text === 'none') return -1;
  if (!/^\d{1,2}$/.test(text) || Number(text) > 23)
    throw new InvalidArgumentError('It must be a whole number from 0 to 23, or none.');
  return Number(text);
}

function parseNotices(text: string): string[] {
  const kinds = text === 'none' ? [] : text.split(',');
  if (kinds.some((kind) => !NOTICES.includes(kind)))
    throw new InvalidArgumentError(
      `It must be one or more of ${NOTICES.join(',')}, separated by commas without spaces, or none.`,
    );
  return kinds;
}

function choice(flags: string, description: string, yes: string, no: string): Option {
  return new Option(flags, description).argParser((text) => {
    if (text !== yes && text !== no) throw new InvalidArgumentError(`It must be ${yes} or ${no}.`);
    return text === yes;
  });
}

function parseCategories(text: string): string[] {
  const names = text.split(',');
  if (names.some((name) => !CATEGORIES.includes(name)))
    throw new InvalidArgumentError(`It must be one or more of ${CATEGORIES.join(',')}, separated by commas without spaces.`);
  return names;
}
