import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { DefaultRetention, SetSettingsRequest, Settings } from '@survey/proto/admin/v1/admin.ts';
import { SettingsChanged } from '@survey/proto/events/v1/events.ts';
import { conflict, invalid } from '@survey/rpc/application-error.ts';
import { withLockedAccount } from '../with-account.ts';
import { audit, requireReason } from '../write-audit.ts';
import { requireOperator } from '../authorise.ts';
import { maskingEffect } from './masking-effect.ts';
import { toSettingsMessage } from './account-settings.ts';
import { findAttribute } from './attributes.ts';
import {
  currentSettings,
  ERASED_ANSWERS,
  insertSettings,
  MASKING_CATEGORIES,
  NOTICE_KINDS,
  type SettingsRow,
} from './account-settings.ts';

const RETENTIONS = ['retain_outcomes_days', 'retain_offboarded_days', 'retain_answers_days', 'retain_audit_days'] as const;

// Settings that are part of the customer's contract or affect other accounts.
const FOR_OPERATORS = ['masking_entitled', 'rate_limit', ...RETENTIONS] as const;

/** Stores the changed settings as a new version; a request that changes nothing creates none. */
export const setSettings =
  (pool: Pool, relay: OutboxRelay, default_retention: DefaultRetention) =>
  async (request: SetSettingsRequest, call: CallContext): Promise<Settings> => {
    for (const field of FOR_OPERATORS) if (request[field] != null) requireOperator(call, field);
    const settings = await withLockedAccount(pool, call, request.account_id, (client) => change(client, request, call));
    relay.wake(request.account_id);
    return { ...settings, default_retention };
  };

async function change(
  client: Client,
  request: SetSettingsRequest,
  call: CallContext,
): Promise<Omit<Settings, 'default_retention'>> {
  const { account_id: accountId } = request;
  const before = await currentSettings(client, accountId);
  const newSettings = await apply(client, request, before);
  const isChange = JSON.stringify(newSettings) !== JSON.stringify(before);
  // A form that is sent twice wants what is stored by now.
  if (isChange && request.expected_version != null && request.expected_version !== before.version)
    throw conflict(`the settings have changed to version ${before.version}: read them before you repeat the change`);
  const isGuardAsBefore = before.disclosure_guard === 'off' && before.guard_decided;
  if (request.disclosure_guard === 'off' && !isGuardAsBefore && call.reason === undefined)
    throw invalid('a reason is required to decide for results without the disclosure guard: it is recorded in the audit log');
  if (!isChange) return toSettingsMessage(client, accountId, before);
  const after = await insertSettings(client, accountId, newSettings);
  if (JSON.stringify(after.masking_denied_words) !== JSON.stringify(before.masking_denied_words))
    requireReason(request.reason, call);
  await audit(client, call, {
    accountId,
    action: 'settings.set',
    before: await settingsForAudit(client, accountId, before),
    after: await settingsForAudit(client, accountId, after),
    reason: request.reason,
  });
  const payload = SettingsChanged.encode({ account_id: accountId, version: after.version }).finish();
  await enqueue(client, 'admin', accountId, [{ subject: 'events.settings.changed', payload }]);
  return toSettingsMessage(client, accountId, after);
}

async function apply(client: Client, request: SetSettingsRequest, before: SettingsRow): Promise<SettingsRow> {
  const masking = {
    masking_entitled: request.masking_entitled ?? before.masking_entitled,
    masking: request.masking ?? before.masking,
  };
  return {
    ...before,
    ...masking,
    masking_effect: maskingEffect(before.masking_effect, masking),
    text_filter_attribute_id: await textFilter(client, request, before),
    masking_categories: categories(request) ?? before.masking_categories,
    masking_allowed_names: allowedNames(request) ?? before.masking_allowed_names,
    masking_denied_words: deniedWords(request) ?? before.masking_denied_words,
    categorisation: request.categorisation ?? before.categorisation,
    rate_limit: rateLimit(request, before),
    erased_answers: erasedAnswers(request, before),
    disclosure_guard: guard(request) ?? before.disclosure_guard,
    guard_settling_hours: settlingHours(request) ?? before.guard_settling_hours,
    notices_off: noticesOff(request) ?? before.notices_off,
    ...schedule(request, before),
    guard_decided: before.guard_decided || request.disclosure_guard != null,
    max_key_days: days(request, before, 'max_key_days'),
    ...Object.fromEntries(RETENTIONS.map((field) => [field, days(request, before, field)])),
  };
}

async function textFilter(client: Client, request: SetSettingsRequest, before: SettingsRow): Promise<number | null> {
  const { account_id, text_filter_attribute: name } = request;
  if (typeof name !== 'string') return before.text_filter_attribute_id;
  return name === '' ? null : (await findAttribute(client, account_id, name)).attribute_id;
}

const MAX_RATE_LIMIT = 1_000_000;

function rateLimit({ rate_limit: requested }: SetSettingsRequest, before: SettingsRow): number | null {
  if (typeof requested !== 'number') return before.rate_limit;
  if (requested < 0 || requested > MAX_RATE_LIMIT)
    throw invalid(`rate_limit must be 1 to ${MAX_RATE_LIMIT}, or 0 for the default`);
  return requested === 0 ? null : requested;
}

const MAX_DAYS = 3_650;

function days(
  request: SetSettingsRequest,
  before: SettingsRow,
  field: (typeof RETENTIONS)[number] | 'max_key_days',
): number | null {
  const requested = request[field];
  if (typeof requested !== 'number') return before[field];
  if (requested < 0 || requested > MAX_DAYS) throw invalid(`${field} must be 1 to ${MAX_DAYS}, or 0 for the default`);
  return requested === 0 ? null : requested;
}

function erasedAnswers({ erased_answers: requested }: SetSettingsRequest, before: SettingsRow): SettingsRow['erased_answers'] {
  if (requested == null) return before.erased_answers;
  const setting = ERASED_ANSWERS.find((each) => each === requested);
  if (setting === undefined) throw invalid(`erased_answers must be one of ${ERASED_ANSWERS.join(', ')}`);
  return setting;
}

/** Checks the requested disclosure guard, if there is one (rule GUARD-SETTING-1). */
export function guard({ disclosure_guard: requested }: { readonly disclosure_guard?: string | null | undefined }) {
  if (requested != null && requested !== 'off' && requested !== 'strict') throw invalid('disclosure_guard must be off or strict');
  return requested;
}

const MAX_SETTLING_HOURS = 720;

function settlingHours({ guard_settling_hours: requested }: SetSettingsRequest): number | null | undefined {
  if (requested != null && (requested < 1 || requested > MAX_SETTLING_HOURS))
    throw invalid(`guard_settling_hours must be 1 to ${MAX_SETTLING_HOURS}`);
  return requested;
}

// Always in the same order, so that the same categories are not stored as a change.
function categories({ masking_categories: requested }: SetSettingsRequest): string[] | undefined {
  if (requested === null) return undefined;
  const unknown = requested.names.filter((name) => !MASKING_CATEGORIES.includes(name));
  if (requested.names.length === 0 || unknown.length > 0)
    throw invalid(`masking_categories must be one or more of ${MASKING_CATEGORIES.join(', ')}`);
  return MASKING_CATEGORIES.filter((name) => requested.names.includes(name));
}

function noticesOff({ notices_off: requested }: SetSettingsRequest): string[] | undefined {
  if (requested == null) return undefined;
  if (!requested.kinds.every((kind) => NOTICE_KINDS.includes(kind)))
    throw invalid(`notices_off must contain only ${NOTICE_KINDS.join(', ')}`);
  return NOTICE_KINDS.filter((kind) => requested.kinds.includes(kind));
}

function schedule(
  { import_schedule: requested, import_schedule_hour: wantedHour }: SetSettingsRequest,
  before: SettingsRow,
): Pick<SettingsRow, 'import_schedule' | 'import_schedule_hour'> {
  if (requested != null && !['daily', 'weekly', 'learned'].includes(requested))
    throw invalid('import_schedule must be daily, weekly or learned');
  if (wantedHour != null && (wantedHour < -1 || wantedHour > 23))
    throw invalid('import_schedule_hour must be 0 to 23, or -1 for none');
  const import_schedule = requested == null ? before.import_schedule : requested === 'learned' ? null : requested;
  const hour = wantedHour ?? (requested == null ? before.import_schedule_hour : null);
  if (import_schedule === null && wantedHour != null && wantedHour >= 0)
    throw invalid('import_schedule_hour needs the import_schedule daily or weekly: a learned one has no hour');
  return { import_schedule, import_schedule_hour: hour === -1 || import_schedule === null ? null : hour };
}

const MAX_ALLOWED_NAMES = 1_000;
const ALLOWED_NAME = /^(?=.*\p{L}.*\p{L})[^\p{C}\p{Zl}\p{Zp}]{2,100}$/u;

// Sorted, so that the same names are not stored as a change.
function allowedNames({ masking_allowed_names: requested }: SetSettingsRequest): string[] | undefined {
  if (requested == null) return undefined;
  const names = [...new Set(requested.names.map((name) => name.normalize('NFC').trim()))].sort();
  if (names.length > MAX_ALLOWED_NAMES) throw invalid(`masking_allowed_names must have at most ${MAX_ALLOWED_NAMES} names`);
  if (!names.every((name) => ALLOWED_NAME.test(name)))
    throw invalid('masking_allowed_names must have 2 to 100 characters each, with at least two letters');
  return names;
}

const DENIED_WORD = /^(?=.*[\p{L}\p{N}])[^\p{C}\p{Zl}\p{Zp}]{2,100}$/u;

function deniedWords({ masking_denied_words: requested }: SetSettingsRequest): string[] | undefined {
  if (requested == null) return undefined;
  const words = [...new Set(requested.words.map((word) => word.normalize('NFC').trim()))].sort();
  if (words.length > MAX_ALLOWED_NAMES) throw invalid(`masking_denied_words must have at most ${MAX_ALLOWED_NAMES} words`);
  if (!words.every((word) => DENIED_WORD.test(word)))
    throw invalid('masking_denied_words must have 2 to 100 characters each, with a letter or digit');
  return words;
}

// The words are personal data, which the audit log must not keep after they are removed.
async function settingsForAudit(client: Client, accountId: number, row: SettingsRow): Promise<object> {
  const { text_filter_attribute: filter, ...settings } = await toSettingsMessage(client, accountId, row);
  return { ...settings, text_filter_attribute: filter?.name ?? null, masking_denied_words: row.masking_denied_words.length };
}
