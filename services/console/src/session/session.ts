import { randomBytes } from 'node:crypto';
import { z } from 'zod';

const principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('admin'), employeeId: z.number(), issuer: z.string() }),
  z.object({ kind: z.literal('invited'), invitationId: z.number(), issuer: z.string() }),
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
  // Replaced by a newer id: serves only requests that are in flight.
  isReplaced: z.boolean().default(false),
});

/** The signed-in user. */
export type Session = z.infer<typeof session>;

export const sessionSchema = session;

const ROTATE_AFTER_MS = 15 * 60_000;
const STEP_UP_SECONDS = 15 * 60;

export function newSession(identity: Omit<Session, 'formSecret' | 'startedAt' | 'rotatedAt' | 'isReplaced'>): Session {
  const now = Date.now();
  return { ...identity, formSecret: randomBytes(32).toString('base64url'), startedAt: now, rotatedAt: now, isReplaced: false };
}

export interface SessionLimits {
  readonly idleSeconds: number;
  readonly maxMs: number;
}

export function isOver({ startedAt }: Session, maxMs: number): boolean {
  return Date.now() - startedAt > maxMs;
}

/** Returns the seconds until the session ends when the user opens no other page. */
export function secondsLeft({ startedAt }: Session, { idleSeconds, maxMs }: SessionLimits): number {
  return Math.max(0, Math.min(idleSeconds, Math.floor((startedAt + maxMs - Date.now()) / 1_000)));
}

export function isDueForRotation({ rotatedAt, isReplaced }: Session): boolean {
  return !isReplaced && Date.now() - rotatedAt > ROTATE_AFTER_MS;
}

/**
 * Returns whether the user authenticated within the last 15 minutes, as irreversible actions
 * require.
 */
export function isFresh({ authTime }: Session): boolean {
  return Date.now() / 1_000 - authTime < STEP_UP_SECONDS;
}
