import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { html, none, type Html } from './html.ts';
import { note } from './parts.ts';
import type { Visit } from '../visit.ts';

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

/** Returns a positive integer of the address; undefined when it has none, or not a usable one. */
export function integerIn(query: URLSearchParams, name: string): number | undefined {
  const value = Number(query.get(name) ?? '');
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
