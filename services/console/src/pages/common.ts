import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import type { ImportSummary } from '@survey/proto/admin/v1/admin.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { notFoundPage, PageError } from '../page-error.ts';
import { keepForm } from '../session/kept-form.ts';
import { isFresh } from '../session/session.ts';
import { html, none, type Html } from '../views/html.ts';
import { note, tag, type Mark } from '../views/parts.ts';
import type { AccountVisit, Reply, SignedInVisit, Visit } from '../visit.ts';

const SECTION_MS = 2_000;

/** Reads optional data of a page: returns undefined when it fails or takes longer than 2 s. */
export async function optional<T>(read: Promise<T>): Promise<T | undefined> {
  return Promise.race([
    read.catch((error: unknown) => {
      if (error instanceof UpstreamError || (error instanceof ApplicationError && error.code === 'busy')) return undefined;
      throw error;
    }),
    sleep(SECTION_MS, undefined, { ref: false }),
  ]);
}

/** Returns the form result named in the query, so that a reload or a lost response shows it too. */
export function doneNote({ texts, query }: Visit): Html {
  const done = query.get('done') ?? '';
  const known = Object.hasOwn(texts.done, done) ? texts.done[done as keyof typeof texts.done] : undefined;
  return known === undefined ? none : html`<div class="block">${note('good', known, none, { isFocused: true })}</div>`;
}

/** Returns the text of a rejected change for its field. Rethrows any other error. */
export function rejection(
  { texts }: Visit,
  error: unknown,
  known: Partial<Record<ApplicationError['code'], string>> = {},
): string {
  if (!(error instanceof ApplicationError) || error.code === 'forbidden' || error.code === 'busy') throw error;
  return known[error.code] ?? (error.code === 'conflict' ? texts.problems.conflict.text : texts.problems.invalid.text);
}

/**
 * Redirects a user without a recent authentication to the provider, and back to the form's page,
 * where the typed values are filled in. Nothing is sent again by itself.
 */
export async function stepUpNeeded(visit: SignedInVisit, returnTo: string): Promise<Reply | undefined> {
  if (isFresh(visit.session)) return undefined;
  const typed = await keepForm(visit);
  return { leadOn: `/sign-in/again?return=${encodeURIComponent(`${returnTo}?typed=${typed}`)}` };
}

/**
 * Returns whether the user typed exactly the requested text. The fifth wrong text within ten
 * minutes makes the next irreversible action require a new authentication.
 */
export async function isTyped({ form, services, session, sessionId }: SignedInVisit, expected: string): Promise<boolean> {
  const typed = form.get('confirm')?.trim();
  if (typed === undefined || typed === expected.trim()) return typed !== undefined;
  await services.limits.wrongConfirmation(session.formSecret).catch(async (error: unknown) => {
    if (!(error instanceof PageError)) throw error;
    await services.sessions.save(sessionId, { ...session, authTime: 0 });
  });
  return false;
}

const STATES: Readonly<Record<string, Mark>> = { accepted: 'off', applied: 'on', cancelled: 'warn', failed: 'bad' };

export function importTag({ texts }: Visit, { state }: Pick<ImportSummary, 'state'>): Html {
  const words: Readonly<Record<string, string>> = texts.imports.states;
  return tag(STATES[state] ?? 'off', words[state] ?? state);
}

/** Returns how long an import took, or a dash while it runs. */
export function timeTaken({ format }: Visit, { accepted_at, finished_at }: ImportSummary): string {
  return finished_at == null ? '–' : format.duration(Date.parse(finished_at) - Date.parse(accepted_at));
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the import that the path names. */
export function importUuid({ params }: AccountVisit): string {
  const uuid = params['import'] ?? '';
  if (!UUID.test(uuid)) throw notFoundPage();
  return uuid;
}

/** Returns the number of entries before the page that the address names. */
export function offsetOf(query: URLSearchParams): number {
  const offset = Number(query.get('from') ?? 0);
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}
