import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const account = z.object({ id: z.number(), name: z.string(), employeeId: z.number(), email: z.string(), managed: z.number() });

/** An account that the person may act in: an admin as an employee of it. */
export type SessionAccount = z.infer<typeof account>;

const session = z.object({
  issuerId: z.string(),
  issuer: z.string(),
  subject: z.string(),
  sid: z.string().optional(),
  // As the sidebar shows it: an address, or an operator's name.
  name: z.string(),
  isOperator: z.boolean(),
  accounts: z.array(account),
  // The account that an operator has entered, and why.
  entered: z.object({ account: z.object({ id: z.number(), name: z.string() }), reason: z.string() }).optional(),
  // Secret of the tokens in forms.
  formSecret: z.string(),
  // Seconds since 1970: when the person has last shown the provider who they are.
  authTime: z.number(),
  // Milliseconds since 1970.
  startedAt: z.number(),
  rotatedAt: z.number(),
  // A newer id has taken its place: it serves requests that were under way, and no others.
  isReplaced: z.boolean().default(false),
});

/** Who is signed in. */
export type Session = z.infer<typeof session>;

export const sessionSchema = session;

const ROTATE_AFTER_MS = 15 * 60_000;
const STEP_UP_SECONDS = 15 * 60;

export function newSession(identity: Omit<Session, 'formSecret' | 'startedAt' | 'rotatedAt' | 'isReplaced'>): Session {
  const now = Date.now();
  return { ...identity, formSecret: randomBytes(32).toString('base64url'), startedAt: now, rotatedAt: now, isReplaced: false };
}

export function isOver({ startedAt }: Session, maxMs: number): boolean {
  return Date.now() - startedAt > maxMs;
}

export function isDueForRotation({ rotatedAt, isReplaced }: Session): boolean {
  return !isReplaced && Date.now() - rotatedAt > ROTATE_AFTER_MS;
}

/** Tells whether the person has shown who they are within the last 15 minutes: for what cannot be undone. */
export function isFresh({ authTime }: Session): boolean {
  return Date.now() / 1_000 - authTime < STEP_UP_SECONDS;
}
