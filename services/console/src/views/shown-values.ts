import { createHash } from 'node:crypto';
import type { AccountVisit } from '../visit.ts';
import { html, type Html } from './html.ts';

/** The fields of a form, each with what the form sends for it, in any order. */
export type Values = Readonly<Record<string, readonly string[]>>;

const digestOf = (values: readonly string[] = []): string =>
  createHash('sha256').update(JSON.stringify(values.toSorted())).digest('base64url').slice(0, 8);

const digestsOf = (values: Values): string =>
  Object.entries(values)
    .map(([field, value]) => `${field}:${digestOf(value)}`)
    .join('.');

/**
 * Renders digests of the values that the form is filled with. They tell what the user has changed,
 * so that only that is saved, even if another admin has changed something else since.
 */
export function shownField({ form, isResumed }: AccountVisit, stored: Values): Html {
  const shown = (isResumed ? form.get('shown') : null) ?? digestsOf(stored);
  return html`<input type="hidden" name="shown" value="${shown}" />`;
}

/**
 * Returns which of the fields that were sent the user has changed, unless the same is stored by
 * now, and which of these another admin has changed in the meantime.
 */
export function changedFields(
  { form }: AccountVisit,
  stored: Values,
  sent: Values,
): { readonly changed: ReadonlySet<string>; readonly conflicting: ReadonlySet<string> } {
  const shown = new Map(
    (form.get('shown') ?? digestsOf(stored)).split('.').map((pair) => pair.split(':', 2) as [string, string]),
  );
  const shownDigest = (field: string): string => shown.get(field) ?? digestOf();
  const changed = Object.keys(sent).filter(
    (field) => ![shownDigest(field), digestOf(stored[field])].includes(digestOf(sent[field])),
  );
  const conflicting = changed.filter((field) => digestOf(stored[field]) !== shownDigest(field));
  return { changed: new Set(changed), conflicting: new Set(conflicting) };
}
