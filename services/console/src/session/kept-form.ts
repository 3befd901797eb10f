import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SignedInVisit, Visit } from '../visit.ts';

const KEPT_SECONDS = 300;
// Fields that belong to one rendering of a form.
const NOT_KEPT = new Set(['token', 'once']);

const fields = z.array(z.tuple([z.string(), z.string()]));

const nameOf = (formSecret: string, id: string): string => `form ${formSecret} ${id}`;

/** Stores the typed values for five minutes, for this session, and returns their id. */
export async function keepForm({ services, session, form }: SignedInVisit): Promise<string> {
  const id = randomUUID();
  const typed = [...form].filter(([name]) => !NOT_KEPT.has(name));
  await services.sessions.keep(nameOf(session.formSecret, id), typed, KEPT_SECONDS);
  return id;
}

/** Returns the stored values that the address names, for the form that the page shows. */
export async function findKeptForm({ services, session, query }: Visit): Promise<URLSearchParams | undefined> {
  const id = query.get('typed');
  if (session === undefined || id === null) return undefined;
  const kept = fields.safeParse(await services.sessions.read(nameOf(session.formSecret, id))).data;
  return kept && new URLSearchParams(kept);
}
