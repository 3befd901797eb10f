import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { PageError } from '../page-error.ts';
import type { Seal } from './seal.ts';
import { sessionSchema, type NewSession, type Session, type SessionLimits } from './session.ts';

/** The sid, or else the subject, at an issuer. */
export interface SessionsOf {
  readonly subject?: string | undefined;
  readonly sid?: string | undefined;
}

/** Its states and who moves it between them: docs/adr/0030-a-session-is-a-state-machine.md. */
export interface SessionStore {
  /** Returns the time: sessions that end after it cannot be started with it. */
  now(): Promise<number>;
  /**
   * Stores a session whose sign-in began at that moment, and returns its id, which exists only in
   * the cookie. Undefined when all sessions of the user have been ended since.
   */
  start(session: NewSession, begunAt: number): Promise<string | undefined>;
  /** Returns the session of an id. Its current id extends its lifetime, a replaced one does not. */
  find(id: string): Promise<Session | undefined>;
  /** Stores a changed session, unless it has changed or ended since it was found. */
  save(id: string, session: Session): Promise<boolean>;
  /** Like `save`, and gives the session a new id. The old one serves reads for some seconds. */
  rotate(id: string, session: Session): Promise<string | undefined>;
  /** Ends the session of a current or replaced id, for both. */
  end(id: string): Promise<void>;
  /** Ends every session of a user at an issuer, or of a sid, even those that are about to start. */
  endAll(issuer: string, of: SessionsOf): Promise<void>;
  /** Stores a value for a limited time; `take` returns it once. */
  keep(name: string, value: unknown, seconds: number): Promise<void>;
  read(name: string): Promise<unknown>;
  take(name: string): Promise<unknown>;
  /** Returns true on the first call with a name. */
  useOnce(name: string, seconds: number): Promise<boolean>;
  /** Lets `useOnce` return true for the name again. */
  release(name: string): Promise<void>;
}

const REPLACED_MS = 30_000;
// A marker lasts until every session that it ends has been looked at or is idle, and every sign-in
// that it ends has come to its callback or is too late.
export const SIGN_IN_MS = 600_000;
const PREFIX = 'console:';

// Every operation is one script, so that no request acts on what another one has changed in
// between. Times come from Redis, because the clocks of processes differ; `tick` never returns one
// twice, not even after a failover to a server whose clock is behind.
const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function tick(keep)
  local moment = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0) + 1)
  redis.call('SET', KEYS[1], string.format('%.0f', moment), 'PX', keep)
  return moment
end
local function isOver(begun, ...)
  for _, marker in ipairs({...}) do
    if tonumber(redis.call('GET', marker) or 0) >= tonumber(begun) then return true end
  end
  return false
end
`;

// KEYS[1]: a session. ARGV[1]: hash of the secret in the cookie.
const OPEN = `${CLOCK}
local s = {}
local fields = redis.call('HGETALL', KEYS[1])
for at = 1, #fields, 2 do s[fields[at]] = fields[at + 1] end
local isCurrent = s.current == ARGV[1]
local isReplaced = s.previous == ARGV[1] and now < tonumber(s.serves)
if not isCurrent and not isReplaced then return false end
if now >= tonumber(s.idle) or now >= tonumber(s.ends) or isOver(s.begun, s.subject, s.sid) then
  redis.call('DEL', KEYS[1])
  return false
end
local function extend(idle)
  redis.call('HSET', KEYS[1], 'idle', string.format('%.0f', now + idle))
  redis.call('PEXPIRE', KEYS[1], idle)
end
`;

const NOW = `${CLOCK}
return tick(ARGV[1])`;

const START = `${CLOCK}
local current, begun, subject, sid, sealed, idle, longest = unpack(ARGV)
if isOver(begun, subject, sid) then return 0 end
redis.call('HSET', KEYS[1], 'current', current, 'begun', begun, 'subject', subject, 'sid', sid, 'sealed', sealed, 'version', 1,
  'idle', string.format('%.0f', now + idle), 'ends', string.format('%.0f', now + longest))
redis.call('PEXPIRE', KEYS[1], idle)
return 1`;

const FIND = `${OPEN}
if isCurrent then extend(ARGV[2]) end
return { s.sealed, s.version, isReplaced and '1' or '', string.format('%.0f', now) }`;

const SAVE = `${OPEN}
local _, version, sealed, sid, idle, replacement, serves = unpack(ARGV)
if isReplaced or s.version ~= version then return false end
redis.call('HSET', KEYS[1], 'sealed', sealed, 'sid', sid, 'version', version + 1)
if replacement ~= '' then
  redis.call('HSET', KEYS[1], 'previous', s.current, 'serves', string.format('%.0f', now + serves), 'current', replacement)
end
extend(idle)
return 1`;

const bytes = z.instanceof(Buffer);
const foundSchema = z.tuple([
  bytes,
  bytes.transform(Number),
  bytes.transform(({ length }) => length > 0),
  bytes.transform(Number),
]);

const END = `${OPEN}
return redis.call('DEL', KEYS[1])`;

const END_ALL = `${CLOCK}
redis.call('SET', KEYS[2], string.format('%.0f', tick(ARGV[1])), 'PX', ARGV[2])
return 1`;

export function createSessionStore(redis: Redis, seal: Seal, { idleSeconds, maxMs }: SessionLimits): SessionStore {
  const idleMs = idleSeconds * 1_000;
  const clock = keyOf('clock', '');
  const keepMs = maxMs + SIGN_IN_MS;
  const subjectKey = (issuer: string, subject: string): string => keyOf('subject', `${issuer} ${subject}`);
  const sidKey = (issuer: string, sid: string): string => keyOf('sid', `${issuer} ${sid}`);
  // Without a sid, the marker belongs to the subject.
  const sidOf = ({ issuer, subject, sid }: NewSession): string =>
    sid === undefined ? subjectKey(issuer, subject) : sidKey(issuer, sid);
  const write = async (
    id: string,
    { version, isReplaced: _isReplaced, foundAt: _foundAt, ...session }: Session,
    replacement: string,
  ): Promise<boolean> => {
    const { key, secret } = partsOf(id);
    const values = [secret, version, seal.seal(key, session), sidOf(session), idleMs, replacement, REPLACED_MS];
    // Bounded: seven values.
    return (await redis.eval(SAVE, 1, key, ...values)) === 1;
  };
  return whileAvailable({
    now: async () => Number(await redis.eval(NOW, 1, clock, keepMs)),
    start: async (session, begunAt) => {
      const id = `${newSecret()}.${newSecret()}`;
      const { key, secret } = partsOf(id);
      const subject = subjectKey(session.issuer, session.subject);
      const values = [secret, begunAt, subject, sidOf(session), seal.seal(key, session), idleMs, maxMs];
      // Bounded: seven values.
      return (await redis.eval(START, 1, key, ...values)) === 1 ? id : undefined;
    },
    find: async (id) => {
      const { key, secret } = partsOf(id);
      const stored = foundSchema.safeParse(await redis.callBuffer('EVAL', FIND, 1, key, secret, idleMs)).data;
      const session = stored && sessionSchema.safeParse(seal.open(key, stored[0])).data;
      if (stored === undefined || session === undefined) return undefined;
      const [, version, isReplaced, foundAt] = stored;
      // What is done under the new id, such as a new authentication, gives the old one nothing.
      return { ...session, version, isReplaced, foundAt, ...(isReplaced && { authTime: 0 }) };
    },
    save: (id, session) => write(id, session, ''),
    rotate: async (id, session) => {
      const next = `${id.split('.')[0]}.${newSecret()}`;
      return (await write(id, { ...session, rotatedAt: session.foundAt }, partsOf(next).secret)) ? next : undefined;
    },
    end: async (id) => {
      const { key, secret } = partsOf(id);
      await redis.eval(END, 1, key, secret);
    },
    endAll: async (issuer, { subject = '', sid }) => {
      const marker = sid === undefined ? subjectKey(issuer, subject) : sidKey(issuer, sid);
      await redis.eval(END_ALL, 2, clock, marker, keepMs, Math.max(idleMs, SIGN_IN_MS));
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

const newSecret = (): string => randomBytes(32).toString('base64url');
const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

// An id is the name of a session and a secret, which a rotation replaces.
function partsOf(id: string): { key: string; secret: string } {
  const [name = '', secret = ''] = id.split('.');
  return { key: keyOf('session', name), secret: hash(secret) };
}

// Hashed, so that a reader of Redis learns no usable session id.
function keyOf(kind: string, name: string): string {
  return `${PREFIX}${kind}:${hash(name)}`;
}
