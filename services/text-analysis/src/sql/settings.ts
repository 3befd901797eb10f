import type { Queryable } from '@survey/postgres/database.ts';
import type { MaskingSettings } from '../rules/masking-policy.ts';

const NONE: MaskingSettings = { masking_effect: 'off', masking_categories: [] };

/** What the account has decided about masking last. */
export async function readMaskingSettings(db: Queryable, accountId: number): Promise<MaskingSettings> {
  const { rows } = await db.query<MaskingSettings>(
    `select masking_effect, masking_categories from admin.settings where account_id = $1::bigint order by version desc limit 1`,
    [accountId],
  );
  return rows[0] ?? NONE;
}
