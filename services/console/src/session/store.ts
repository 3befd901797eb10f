import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Seal } from './seal.ts';
import { PageError } from '../http/page-error.ts';
import { isOver, sessionSchema, type Session, type SessionLimits } from './session.ts';

export interface SessionStore {
  /** Stores a new session and returns its id, which exists only in the cookie. */
  start(session: Session): Promise<string>;
  /** Returns the session of an id and extends its lifetime. */
  find(id: string): Promise<Session | undefined>;
  save(id: string, session: Session): Promise<void>;
  /** Gives the session a new id. The old id keeps serving in-flight requests for some seconds. */
  rotate(id: string, session: Session): Promise<string>;
  end(id: string): Promise<void>;
  /** Ends every session of a user at an issuer, or the session of a sid. */
  endAll(issuer: string, key: { readonly subject?: string | undefined; readonly sid?: string | undefined }): Promise<number>;
  /** Stores a value for a limited time; `take` returns it once. */
  keep(name: string, value: unknown, seconds: number): Promise<void>;
  read(name: string): Promise<unknown>;
  take(name: string): Promise<unknown>;
  /** Returns true on the first call with a name. */
  useOnce(name: string, seconds: number): Promise<boolean>;
  /** Lets `useOnce` return true for the name again. */
  release(name: string): Promise<void>;
}

const REPLACED_SECONDS = 30;
const PREFIX = 'console:';

export function createSessionStore(redis: Redis, seal: Seal, { idleSeconds, maxMs }: SessionLimits): SessionStore {
  const write = async (id: string, session: Session, seconds: number): Promise<void> => {
    const key = keyOf('session', id);
    await redis.set(key, seal.seal(key, session), 'EX', seconds);
  };
  // Index used by provider-initiated sign-out.
  const indexesOf = ({ issuer, subject, sid }: Pick<Session, 'issuer' | 'subject' | 'sid'>): string[] => [
    keyOf('subject', `${issuer} ${subject}`),
    ...(sid === undefined ? [] : [keyOf('sid', `${issuer} ${sid}`)]),
  ];
  const index = async (id: string, session: Session): Promise<void> => {
    for (const name of indexesOf(session)) await redis.multi().sadd(name, keyOf('session', id)).pexpire(name, maxMs).exec();
  };
  const start = async (session: Session): Promise<string> => {
    const id = randomBytes(32).toString('base64url');
    await write(id, session, idleSeconds);
    await index(id, session);
    return id;
  };
  return whileAvailable({
    start,
    find: async (id) => {
      const key = keyOf('session', id);
      const sealed = await redis.getBuffer(key);
      const session = sealed === null ? undefined : sessionSchema.safeParse(seal.open(key, sealed)).data;
      if (session === undefined || isOver(session, maxMs)) return undefined;
      if (!session.isReplaced) await redis.expire(key, idleSeconds);
      return session;
    },
    save: (id, session) => write(id, session, idleSeconds),
    rotate: async (id, session) => {
      const next = await start({ ...session, rotatedAt: Date.now() });
      await write(id, { ...session, isReplaced: true }, REPLACED_SECONDS);
      return next;
    },
    end: async (id) => {
      await redis.del(keyOf('session', id));
    },
    endAll: async (issuer, { subject, sid }) => {
      const name = sid === undefined ? keyOf('subject', `${issuer} ${subject ?? ''}`) : keyOf('sid', `${issuer} ${sid}`);
      const keys = await redis.smembers(name);
      return keys.length === 0 ? 0 : redis.del([...keys, name]);
    },
    keep: async (name, value, seconds) => {
      const key = keyOf('kept', name);
      await redis.set(key, seal.seal(key, value), 'EX', seconds);
    },
    read: async (name) => {
      const key = keyOf('kept', name);
      const sealed = await redis.getBuffer(key);
      return sealed === null ? undefined : seal.open(key, sealed);
    },
    take: async (name) => {
      const key = keyOf('kept', name);
      const sealed = await redis.getdelBuffer(key);
      return sealed === null ? undefined : seal.open(key, sealed);
    },
    useOnce: async (name, seconds) => (await redis.set(keyOf('used', name), '1', 'EX', seconds, 'NX')) === 'OK',
    release: async (name) => {
      await redis.del(keyOf('used', name));
    },
  });
}

// While Redis is unavailable every page says so, and no action runs partially.
function whileAvailable(store: SessionStore): SessionStore {
  const guarded = Object.entries(store).map(([name, method]: [string, (...args: never[]) => Promise<unknown>]) => [
    name,
    (...args: never[]) =>
      method(...args).catch((error: unknown) => {
        throw Object.assign(new PageError(503, 'sessionsUnavailable', 5), { cause: error });
      }),
  ]);
  return Object.fromEntries(guarded) as SessionStore; // Same methods, same types.
}

// Hashed, so that a reader of Redis learns no usable session id.
function keyOf(kind: string, name: string): string {
  return `${PREFIX}${kind}:${createHash('sha256').update(name).digest('base64url')}`;
}
