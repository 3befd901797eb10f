import { InvalidArgumentError } from 'commander';
import type { MaskingCategories, NoticeKinds } from '@survey/proto/admin/v1/admin.ts';
import { ACCOUNT, parseGuard } from '../arguments.ts';
import { command, example, group, optional } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import { renderSettings, settingsJson } from '../settings-rendering.ts';

const CATEGORIES = ['name', 'email', 'phone', 'address', 'id'];
const NOTICES = ['cancelled', 'identity', 'late', 'key_expiry'];

const show = command('show', {
  about: 'show the effective settings',
  help: example('settings show --account 1 --json'),
  inputs: { account_id: ACCOUNT },
  run: async (admin, account) => {
    const settings = await admin.showSettings(account);
    return { json: settingsJson(settings), text: () => renderSettings(settings) };
  },
});

const EXAMPLE = `
Omitted settings keep their values. Each change creates a version, is audited, and is effective within 1 s (the rate limit within 10 s).

Examples:
  $ npx surveyctl settings set --account 1 --text-filter-attribute Country
  $ npx surveyctl settings set --account 1 --masking-entitled true --masking on --masking-categories name,email
  $ npx surveyctl settings set --account 1 --rate-limit 12000
  $ npx surveyctl settings set --account 1 --import-schedule daily --import-schedule-hour 6
  $ npx surveyctl settings set --account 1 --disclosure-guard strict
  $ npx surveyctl settings set --account 1 --disclosure-guard off --reason "works council, 12 May"`;

const set = command('set', {
  about: 'change settings',
  help: EXAMPLE,
  inputs: {
    account_id: ACCOUNT,
    text_filter_attribute: optional(
      '--text-filter-attribute <name>',
      'attribute that text responses can be filtered by, or none',
      parseAttribute,
    ),
    masking_entitled: optional(
      '--masking-entitled <true|false>',
      'whether masking is available to the account',
      parseEither('true', 'false'),
    ),
    masking: optional(
      '--masking <on|off>',
      'mask personal information in text responses before release',
      parseEither('on', 'off'),
    ),
    masking_categories: optional(
      '--masking-categories <list>',
      `categories to mask, of ${CATEGORIES.join(',')}`,
      parseCategories,
    ),
    categorisation: optional(
      '--categorisation <on|off>',
      'assign topics and sentiment to text responses',
      parseEither('on', 'off'),
    ),
    rate_limit: optional('--rate-limit <requests>', 'requests per key and minute, or default', parseRateLimit),
    retain_outcomes_days: retention('outcomes', 'outcomes of imported records are kept after their import'),
    retain_offboarded_days: retention('offboarded', 'employees are kept after their offboarding; then they are erased'),
    retain_answers_days: retention('answers', 'answers and texts are kept after the end of their cycle'),
    retain_audit_days: retention('audit', 'entries of the audit log are kept'),
    disclosure_guard: optional(
      '--disclosure-guard <strict|off>',
      'release scores and texts from blocks of closed cycles only; off needs --reason',
      parseGuard,
    ),
    guard_settling_hours: optional(
      '--guard-settling-hours <hours>',
      'hours between the end of a cycle and its release under strict',
      parseHours,
    ),
    import_schedule: optional('--import-schedule <times>', 'when snapshots are expected; learned: as in the last two weeks', [
      'daily',
      'weekly',
      'learned',
    ]),
    import_schedule_hour: optional(
      '--import-schedule-hour <hour>',
      'hour (UTC, 0 to 23) by which a daily or weekly snapshot has come, or none',
      parseScheduleHour,
    ),
    notices_off: optional('--notices-off <list>', `mails that nobody gets, of ${NOTICES.join(',')}, or none`, parseNotices),
    max_key_days: optional(
      '--max-key-days <days>',
      'days for which a new API key is valid at most, or none',
      parseDaysOr('none'),
    ),
    erased_answers: optional('--erased-answers <ruling>', 'what happens to the answers of an erased employee', [
      'anonymise',
      'delete',
    ]),
  },
  run: async (admin, { account_id, masking_categories = null, ...changes }) => {
    if ([masking_categories, ...Object.values(changes)].every((change) => change == null))
      throw new CommandError('cannot change the settings: at least one setting is required', EXIT.usage);
    const settings = await admin.setSettings({ account_id, masking_categories, ...changes });
    return { json: settingsJson(settings), text: () => renderSettings(settings) };
  },
});

export const settings = group('settings', 'manage the settings of an account: text responses and rate limit', [show, set]);

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

function retention(kind: string, what: string) {
  return optional(`--retain-${kind} <days>`, `days for which ${what}, or default`, parseDaysOr('default'));
}

function parseDaysOr(word: string): (text: string) => number {
  return (text) => {
    if (text === word) return 0;
    if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > 3_650)
      throw new InvalidArgumentError(`It must be a whole number from 1 to 3650, or ${word}.`);
    return Number(text);
  };
}

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

function parseNotices(text: string): NoticeKinds {
  const kinds = text === 'none' ? [] : text.split(',');
  if (kinds.some((kind) => !NOTICES.includes(kind)))
    throw new InvalidArgumentError(
      `It must be one or more of ${NOTICES.join(',')}, separated by commas without spaces, or none.`,
    );
  return { kinds };
}

function parseEither(yes: string, no: string): (text: string) => boolean {
  return (text) => {
    if (text !== yes && text !== no) throw new InvalidArgumentError(`It must be ${yes} or ${no}.`);
    return text === yes;
  };
}

function parseCategories(text: string): MaskingCategories {
  const names = text.split(',');
  if (names.some((name) => !CATEGORIES.includes(name)))
    throw new InvalidArgumentError(`It must be one or more of ${CATEGORIES.join(',')}, separated by commas without spaces.`);
  return { names };
}
