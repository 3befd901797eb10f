import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { PageError } from '../page-error.ts';
import type { Reply, SignedInVisit, Visit } from '../visit.ts';
import { isFresh, type Session } from './session.ts';

const KEPT_SECONDS = 300;
// Fields that belong to one rendering of a form.
const NOT_KEPT = new Set(['token', 'once']);

// Bounded: a form of the console, whose size is limited when it is sent.
const fields = z.array(z.tuple([z.string(), z.string()]));

const nameOf = (formSecret: string, id: string): string => `form ${formSecret} ${id}`;

/** Stores the typed values for five minutes, for this session, and returns their id. */
async function keepForm({ services, session, form }: SignedInVisit): Promise<string> {
  const id = randomUUID();
  const typed = [...form].filter(([name]) => !NOT_KEPT.has(name));
  await services.sessions.keep(nameOf(session.formSecret, id), typed, KEPT_SECONDS);
  return id;
}

/** Returns the stored values that the address names, for the form that the page shows. */
export async function findKeptForm({ services, session, query }: Visit): Promise<URLSearchParams | undefined> {
  const id = query.get('typed');
  if (session === undefined || id === null) return undefined;
  const savedFields = fields.safeParse(await services.sessions.read(nameOf(session.formSecret, id))).data;
  return savedFields && new URLSearchParams(savedFields);
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

// A number may be typed as the page shows it: 1,001 or 1.001.
const asTyped = (text: string): string => (/^\s*\d[\d.,'’\s]*$/.test(text) ? text.replaceAll(/\D/g, '') : text.trim());

/**
 * Returns whether the user typed exactly the requested text. The fifth wrong text within ten
 * minutes makes the next irreversible action require a new authentication.
 */
export async function isTyped({ form, services, session, sessionId }: SignedInVisit, expected: string): Promise<boolean> {
  const typed = form.get('confirm')?.trim() ?? '';
  if (typed === '' || asTyped(typed) === asTyped(expected)) return typed !== '';
  await services.limits.wrongConfirmation(session.formSecret).catch(async (error: unknown) => {
    if (!(error instanceof PageError)) throw error;
    let current: Session | undefined = session;
    // A request at the same time may have changed the session.
    while (current?.isReplaced === false && !(await services.sessions.save(sessionId, { ...current, authTime: 0 })))
      current = await services.sessions.find(sessionId);
  });
  return false;
}
