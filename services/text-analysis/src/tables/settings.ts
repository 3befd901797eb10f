import type { Queryable } from '@survey/postgres/database.ts';
import type { MaskingSettings } from '../rules/masking-policy.ts';

const NONE: MaskingSettings = { masking_effect: 'off', masking_categories: [] };

/** Latest masking settings of the account. */
export async function readMaskingSettings(db: Queryable, accountId: number): Promise<MaskingSettings> {
  const { rows } = await db.query<MaskingSettings>(
    `select masking_effect, masking_categories from admin.settings where account_id = $1::bigint order by version desc limit 1`,
    [accountId],
  );
  return rows[0] ?? NONE;
}

/** Names that masking leaves visible for the account. */
export async function readAllowedNames(db: Queryable, accountId: number): Promise<string[]> {
  const { rows } = await db.query<{ masking_allowed_names: string[] }>(
    'select masking_allowed_names from admin.settings where account_id = $1::bigint order by version desc limit 1',
    [accountId],
  );
  return rows[0]?.masking_allowed_names ?? [];
}

interface GuardSettings extends MaskingSettings {
  readonly disclosure_guard: 'off' | 'strict';
  readonly text_filter_attribute_id: number | null;
}

/** Latest settings that blocks of texts depend on; undefined while all are defaults. */
export async function readGuardSettings(db: Queryable, accountId: number): Promise<GuardSettings | undefined> {
  const { rows } = await db.query<GuardSettings>(
    `select masking_effect, masking_categories, disclosure_guard, text_filter_attribute_id
     from admin.settings where account_id = $1::bigint order by version desc limit 1`,
    [accountId],
  );
  return rows[0];
}

/** Returns whether the account has topics and sentiment enabled. */
export async function isCategorisationOn(db: Queryable, accountId: number): Promise<boolean> {
  const { rows } = await db.query<{ categorisation: boolean }>(
    'select categorisation from admin.settings where account_id = $1::bigint order by version desc limit 1',
    [accountId],
  );
  return rows[0]?.categorisation ?? false;
}

/** Returns the ISO 639-1 language of the account's integration; English without one. */
export async function defaultLanguage(db: Queryable, accountId: number): Promise<string> {
  const { rows } = await db.query<{ default_language: string }>(
    'select default_language from admin.integration where account_id = $1::bigint',
    [accountId],
  );
  return rows[0]?.default_language ?? 'en';
}
