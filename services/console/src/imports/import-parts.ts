import { importReasonText, type ImportReason } from '@survey/formats/import-reasons.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { notFoundPage } from '../http/page-error.ts';
import { html, none, type Html } from '../views/html.ts';
import { note, tag, type Mark } from '../views/parts.ts';
import type { AccountVisit, Visit } from '../visit.ts';

const STATES: Readonly<Record<string, Mark>> = { accepted: 'off', applied: 'on', cancelled: 'warn', failed: 'bad' };

export function importTag({ texts }: Visit, { state }: Pick<ImportSummary, 'state'>): Html {
  const words: Readonly<Record<string, string>> = texts.imports.states;
  return tag(STATES[state] ?? 'off', words[state] ?? state);
}

/** Returns how long an import took, or a dash while it runs. */
export function timeTaken({ format }: Visit, { accepted_at, finished_at }: ImportSummary): string {
  return finished_at == null ? '–' : format.duration(Date.parse(finished_at) - Date.parse(accepted_at));
}

/** Renders what was noticed about the snapshot as a whole. */
export function warningNote({ texts, language }: Visit, warnings: readonly ImportReason[]): Html {
  if (warnings.length === 0) return none;
  const list = html`<ul>
    ${warnings.map((warning) => html`<li>${importReasonText(warning, language)}</li>`)}
  </ul>`;
  return note('warn', texts.imports.noticed, list);
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the import that the path names. */
export function importUuid({ params }: AccountVisit): string {
  const uuid = params['import'] ?? '';
  if (!UUID.test(uuid)) throw notFoundPage();
  return uuid;
}
