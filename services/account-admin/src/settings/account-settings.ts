import type { Client, Pool } from '@survey/postgres/database.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import type { DefaultRetention, Settings, ShowSettingsRequest } from '@survey/proto/admin/v1/admin.ts';
import { utc } from '../sql-text.ts';
import { withAccount } from '../with-account.ts';
import { attributesOf } from './attributes.ts';
import type { MaskingEffect } from './masking-effect.ts';

export const ERASED_ANSWERS = ['anonymise', 'delete'] as const;

type ErasedAnswers = (typeof ERASED_ANSWERS)[number];

/** A row of admin.settings. */
export interface SettingsRow {
  version: number;
  text_filter_attribute_id: number | null;
  masking_entitled: boolean;
  masking: boolean;
  masking_effect: MaskingEffect;
  masking_categories: string[];
  masking_allowed_names: string[];
  masking_denied_words: string[];
  categorisation: boolean;
  // Maximum requests per key and minute; null: the gateway's default.
  rate_limit: number | null;
  // Days for which data is kept, by kind; null: the service's default.
  retain_outcomes_days: number | null;
  retain_offboarded_days: number | null;
  retain_answers_days: number | null;
  retain_audit_days: number | null;
  erased_answers: ErasedAnswers;
  disclosure_guard: string;
  guard_settling_hours: number;
  // Kinds of mails that are switched off.
  notices_off: string[];
  // daily or weekly; null: learned.
  import_schedule: string | null;
  // Maximum number of days for which a new API key is valid; null: unlimited.
  max_key_days: number | null;
  import_schedule_hour: number | null;
  guard_decided: boolean;
  changed_at: string | null;
}

export const NOTICE_KINDS = ['cancelled', 'identity', 'late', 'key_expiry'];
export const MASKING_CATEGORIES = ['name', 'email', 'phone', 'address', 'id'];

export const DEFAULT_SETTINGS: SettingsRow = {
  version: 0,
  text_filter_attribute_id: null,
  masking_entitled: false,
  masking: false,
  masking_effect: 'off',
  masking_categories: MASKING_CATEGORIES,
  masking_allowed_names: [],
  masking_denied_words: [],
  categorisation: false,
  rate_limit: null,
  retain_outcomes_days: null,
  retain_offboarded_days: null,
  retain_answers_days: null,
  retain_audit_days: null,
  erased_answers: 'anonymise',
  disclosure_guard: 'off',
  guard_settling_hours: 24,
  notices_off: [],
  import_schedule: null,
  max_key_days: null,
  import_schedule_hour: null,
  guard_decided: false,
  changed_at: null,
};

const COLUMNS = `version, text_filter_attribute_id, masking_entitled, masking, masking_effect, masking_categories, masking_allowed_names,
  masking_denied_words, categorisation, rate_limit, retain_outcomes_days, retain_offboarded_days, retain_answers_days, retain_audit_days,
  erased_answers, disclosure_guard, guard_settling_hours, notices_off, import_schedule, import_schedule_hour, guard_decided, max_key_days`;

/** Returns the current settings: the highest version, or the defaults, which are not stored. */
export async function currentSettings(client: Client, accountId: number): Promise<SettingsRow> {
  const { rows } = await client.query<SettingsRow>(
    `select ${COLUMNS}, ${utc('changed_at')} as changed_at
     from admin.settings where account_id = $1::bigint order by version desc limit 1`,
    [accountId],
  );
  return rows[0] ?? DEFAULT_SETTINGS;
}

/** Stores settings as the next version, and returns them. */
export async function insertSettings(client: Client, accountId: number, settings: SettingsRow): Promise<SettingsRow> {
  await client.query(
    `insert into admin.settings (account_id, ${COLUMNS})
     select $1::bigint, ${COLUMNS} from jsonb_populate_record(null::admin.settings, $2::jsonb) returning 1`,
    [accountId, JSON.stringify({ ...settings, version: settings.version + 1 })],
  );
  return currentSettings(client, accountId);
}

/** Returns the settings as operators see them, with the name of the attribute instead of its id. */
export async function toSettingsMessage(
  client: Client,
  accountId: number,
  row: SettingsRow,
): Promise<Omit<Settings, 'default_retention'>> {
  const { text_filter_attribute_id: id, ...settings } = row;
  const attributes = id === null ? [] : await attributesOf(client, accountId);
  return {
    ...settings,
    text_filter_attribute: attributes.find(({ attribute_id }) => attribute_id === id) ?? null,
  };
}

/** Returns the account's current settings, or the defaults. */
export const showSettings =
  (pool: Pool, default_retention: DefaultRetention) =>
  ({ account_id: accountId }: ShowSettingsRequest, call: CallContext): Promise<Settings> =>
    withAccount(pool, call, accountId, async (client) => ({
      ...(await toSettingsMessage(client, accountId, await currentSettings(client, accountId))),
      default_retention,
    }));
