import type { Client } from '@survey/postgres/database.ts';
import type { Settings } from '@survey/proto/admin/v1/admin.ts';
import { attributesOf } from './sql/attributes.ts';
import type { SettingsRow } from './sql/settings.ts';

/** Returns the settings as operators see them, with the name of the attribute instead of its id. */
export async function toSettingsMessage(client: Client, accountId: number, row: SettingsRow): Promise<Settings> {
  const { text_filter_attribute_id: id, ...settings } = row;
  const attributes = id === null ? [] : await attributesOf(client, accountId);
  return { ...settings, text_filter_attribute: attributes.find(({ attribute_id }) => attribute_id === id) ?? null };
}
