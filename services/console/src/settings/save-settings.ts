import type { SetSettingsRequest } from '@survey/proto/admin/v1/admin.ts';
import { rejection } from '../views/form-results.ts';
import { html, none, type Html } from '../views/html.ts';
import { at } from '../views/parts.ts';
import { CHANGE_MS, type AccountVisit, type Reply } from '../visit.ts';

/**
 * Returns the version of the settings that a form changes: the one that was typed into, even if the
 * admin has signed in again since.
 */
export const versionOf = ({ form, isResumed }: AccountVisit, { version }: { readonly version: number }): string =>
  (isResumed ? form.get('version') : null) ?? String(version);

/** Renders the version of the settings that a form shows: no later change is overwritten. */
export const versionField = (visit: AccountVisit, settings: { readonly version: number }, isTyped?: boolean): Html =>
  html`<input type="hidden" name="version" value="${versionOf(visit, settings)}" />${saveMark(visit, isTyped)}`;

/** Lets a form's save bar appear, with script, once something is changed; it stays if typed. */
export const saveMark = ({ texts, form }: AccountVisit, isTyped: boolean = form.size > 0): Html =>
  isTyped ? none : html`<span hidden data-save="${texts.form.changed}"></span>`;

interface SaveOptions {
  // Shown after the change, within the account.
  readonly path: string;
  readonly reject: (text: string) => Promise<Reply>;
  // For the audit log.
  readonly reason?: string;
}

/** Saves a change to the version of the settings that the form has shown. */
export async function saveSettings(
  visit: AccountVisit,
  change: Partial<SetSettingsRequest>,
  { path, reject, reason = '' }: SaveOptions,
): Promise<Reply> {
  const version = Number(visit.form.get('version') ?? 0);
  const expected_version = Number.isSafeInteger(version) ? version : -1;
  const request = { masking_categories: null, ...change, account_id: visit.account.id, expected_version };
  const caller = { ...visit.caller(), ...(reason !== '' && { reason }) };
  try {
    await visit.services.admin.setSettings(request, { caller, deadlineMs: CHANGE_MS });
  } catch (error) {
    return reject(rejection(visit, error, { conflict: visit.texts.settings.conflict }));
  }
  return { redirect: at(visit, `${path}?done=saved`) };
}
