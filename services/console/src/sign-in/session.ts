import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('admin'), employeeId: z.number(), issuer: z.string(), subject: z.string() }),
  z.object({ kind: z.literal('invited'), invitationId: z.number(), issuer: z.string(), subject: z.string() }),
]);

// An account that the user may act in, as an employee of it or by an invitation.
const account = z.object({ id: z.number(), name: z.string(), principal, email: z.string(), managed: z.number() });

const session = z.object({
  issuerId: z.string(),
  issuer: z.string(),
  subject: z.string(),
  sid: z.string().optional(),
  // E-mail address, shown in the sidebar.
  name: z.string(),
  // Bounded: the accounts of one user, sealed by the console itself.
  accounts: z.array(account).min(1),
  // Secret of the form tokens.
  formSecret: z.string(),
  // Time of the last authentication at the provider, in seconds since 1970.
  authTime: z.number(),
  // Milliseconds since 1970.
  startedAt: z.number(),
  rotatedAt: z.number(),
});

/** What a sign-in stores about the user. */
export type NewSession = z.infer<typeof session>;

/** The signed-in user, as a request found them. */
export interface Session extends NewSession {
  // Milliseconds since 1970 by the clock of Redis, because the clocks of processes differ.
  readonly foundAt: number;
  // Counts changes: a request that is late does not overwrite what others have stored since.
  readonly version: number;
  // The request came with an id that has been replaced: it may read, and change nothing.
  readonly isReplaced: boolean;
}

export const sessionSchema = session;

const ROTATE_AFTER_MS = 15 * 60_000;
const STEP_UP_SECONDS = 15 * 60;

export function newSession(identity: Omit<NewSession, 'formSecret' | 'startedAt' | 'rotatedAt'>, now: number): NewSession {
  return { ...identity, formSecret: randomBytes(32).toString('base64url'), startedAt: now, rotatedAt: now };
}

export interface SessionLimits {
  readonly idleSeconds: number;
  readonly maxMs: number;
}

/** Returns the seconds until the session ends when the user opens no other page. */
export function secondsLeft({ startedAt, foundAt }: Session, { idleSeconds, maxMs }: SessionLimits): number {
  return Math.max(0, Math.min(idleSeconds, Math.floor((startedAt + maxMs - foundAt) / 1_000)));
}

export function isDueForRotation({ rotatedAt, foundAt, isReplaced }: Session): boolean {
  return !isReplaced && foundAt - rotatedAt > ROTATE_AFTER_MS;
}

/**
 * Returns whether the user authenticated within the last 15 minutes, as irreversible actions
 * require.
 */
export function isFresh({ authTime, foundAt }: Session): boolean {
  return foundAt / 1_000 - authTime < STEP_UP_SECONDS;
}
