import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationError } from '@survey/rpc/application-error.ts';
import { UpstreamError } from '@survey/rpc/upstream-error.ts';
import { html, none, type Html } from './html.ts';
import { head, note, type FieldErrors, type HeadOptions } from './parts.ts';
import type { Reply, Visit } from '../visit.ts';

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

interface FormPage extends HeadOptions {
  readonly section: string;
  readonly errors?: FieldErrors;
  readonly reloadSeconds?: number;
}

/** Returns a page with forms. It begins with the result of the last change, 422 if rejected. */
export function formPage(visit: Visit, title: string, options: FormPage, body: Html): Reply {
  const { section, errors = {}, reloadSeconds, ...headOptions } = options;
  const faults = Object.entries(errors).filter((fault): fault is [string, string] => fault[1] !== undefined);
  const status = faults.length > 0 ? 422 : 200;
  const whole = html`${head(title, headOptions)}${errorSummary(visit, faults)}${doneNote(visit)}${body}`;
  return { page: { title, section, status, body: whole, ...(reloadSeconds !== undefined && { reloadSeconds }) } };
}

// Has the focus, and links to the fields.
function errorSummary({ texts }: Visit, faults: readonly (readonly [string, string])[]): Html {
  if (faults.length === 0) return none;
  const links = html`<ul class="plain">
    ${faults.map(([name, text]) => html`<li><a href="#${name}">${text}</a></li>`)}
  </ul>`;
  return html`<div class="block">${note('bad', texts.form.notTaken, links, { isAlert: true, isFocused: true })}</div>`;
}

/** Returns the form result named in the query, so that a reload or a lost response shows it too. */
export function doneNote({ texts, query }: Visit): Html {
  const done = query.get('done') ?? '';
  if (!Object.hasOwn(texts.done, done)) return none;
  return html`<div class="block">${note('good', texts.done[done as keyof typeof texts.done], none, { isFocused: true })}</div>`;
}

/** Returns the text of a rejected change for its field. Rethrows any other error. */
export function rejection(
  { texts }: Visit,
  error: unknown,
  textsByCode: Partial<Record<ApplicationError['code'], string>> = {},
): string {
  if (!(error instanceof ApplicationError) || error.code === 'forbidden' || error.code === 'busy') throw error;
  return textsByCode[error.code] ?? (error.code === 'conflict' ? texts.problems.conflict.text : texts.problems.invalid.text);
}

/** Returns whether a trimmed text can be the reason of a change. */
export const isReason = (text: string): boolean => text.length >= 3 && text.length <= 200;

/** Returns a positive integer of the address; undefined when it has none, or not a usable one. */
export function integerIn(query: URLSearchParams, name: string): number | undefined {
  const value = Number(query.get(name) ?? '');
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
