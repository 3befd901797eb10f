import { randomUUID } from 'node:crypto';
import { enqueue, type OutboxRelay } from '@survey/bus/outbox.ts';
import { API_KEY_SCOPES, type ApiKeyScope, createApiKey, visiblePrefix } from '@survey/formats/api-key.ts';
import { isBlank } from '@survey/formats/is-blank.ts';
import type { Client, Pool } from '@survey/postgres/database.ts';
import type {
  ApiKey,
  CreateKeyRequest,
  CreateKeyResponse,
  KeyUsage,
  ListKeysRequest,
  ListKeysResponse,
  ListUsageRequest,
  ListUsageResponse,
  RevokeKeyRequest,
  RotateKeyRequest,
} from '@survey/proto/admin/v1/admin.ts';
import { KeyRevoked } from '@survey/proto/events/v1/events.ts';
import { conflict, invalid, notFound } from '@survey/rpc/application-error.ts';
import type { CallContext } from '@survey/rpc/call-context.ts';
import { audit } from './write-audit.ts';
import { currentSettings } from './settings/account-settings.ts';
import { utc } from './sql-text.ts';
import { checkUuid } from './uuid.ts';
import { withAccount, withLockedAccount } from './with-account.ts';

// Columns of a row of admin.api_key that form an ApiKey of admin.proto: all except the hash.
// $1: the account.
const keyColumns = (
  createdBy = 'created_by',
): string => `key_id, prefix, scope, name, ${createdBy}, ${utc('created_at')} as created_at, ${utc('revoked_at')} as revoked_at,
  ${utc('ends_at')} as ends_at, ${utc('expires_at')} as expires_at, (
    select ${utc('max(u.last_used_at)')} from admin.key_usage u where u.account_id = $1::bigint and u.key_id = api_key.key_id
  ) as last_used_at`;

const MAX_GRACE_SECONDS = 7 * 86_400;
const MAX_NAME = 60;
const MAX_ACTIVE_KEYS = 20;

/**
 * Returns the name without surrounding blanks.
 * @throws `invalid` when it is not a valid name.
 */
function checkKeyName(text: string): string {
  const name = text.trim();
  if (isBlank(name) || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw invalid(`name must have 1 to ${MAX_NAME} characters, one of them visible, and no control characters`);
  return name;
}

/**
 * Returns one key with its hash, and whether its grace period is over.
 * @throws `not_found`
 */
async function findKey(client: Client, accountId: number, keyId: string): Promise<ApiKey & { hash: Buffer; has_ended: boolean }> {
  const { rows } = await client.query<ApiKey & { hash: Buffer; has_ended: boolean }>(
    `select hash, coalesce(ends_at <= now(), false) as has_ended, ${keyColumns()} from admin.api_key where account_id = $1::bigint and key_id = $2::uuid`,
    [accountId, keyId],
  );
  if (rows[0] === undefined) throw notFound(`account ${accountId} has no key ${keyId}`);
  return rows[0];
}

/**
 * Ends a key at once, and notifies the gateways, or after a grace period, unless it ends sooner.
 * @throws `invalid` when the period is longer than a week.
 */
async function endKey(client: Client, accountId: number, keyId: string, graceSeconds: number): Promise<ApiKey> {
  if (graceSeconds < 0 || graceSeconds > MAX_GRACE_SECONDS) throw invalid(`grace_seconds must be 0 to ${MAX_GRACE_SECONDS}`);
  const { rows } = await client.query<ApiKey & { hash: Buffer }>(
    `with api_key as (
       update admin.api_key set
         revoked_at = now() + case when $3::integer = 0 then interval '0' end,
         ends_at = least(ends_at, now() + case when $3::integer > 0 then $3::integer * interval '1 second' end)
       where account_id = $1::bigint and key_id = $2::uuid returning *
     )
     select hash, ${keyColumns()} from api_key`,
    [accountId, keyId, graceSeconds],
  );
  if (rows[0] === undefined) throw new Error('expected the locked key to exist');
  const { hash, ...ended } = rows[0];
  if (graceSeconds === 0) {
    const payload = KeyRevoked.encode({ account_id: accountId, key_id: keyId, key_hash: hash }).finish();
    await enqueue(client, 'admin', accountId, [{ subject: 'events.key.revoked', payload }]);
  }
  return ended;
}

interface NewKey {
  readonly accountId: number;
  readonly scope: ApiKeyScope;
  readonly name: string | null;
  readonly expiresAt: string | null;
  // The key whose name it reuses; both are active during the grace period.
  readonly replaces?: string;
}

/**
 * Creates a key, in a transaction that has locked the account.
 * @throws `conflict` when the name is taken, or 20 keys are active.
 */
async function insertKey(client: Client, call: CallContext, { accountId, scope, name, expiresAt, replaces }: NewKey) {
  await checkNameAndCount(client, accountId, name, replaces ?? null);
  const { key, hash } = createApiKey(scope);
  const added = { key_id: randomUUID(), prefix: visiblePrefix(key), scope, name, expires_at: expiresAt };
  await client.query(
    `insert into admin.api_key (account_id, key_id, hash, prefix, scope, name, created_by, expires_at, ends_at)
     values ($1::bigint, $2::uuid, $3::bytea, $4::text, $5::text, $6::text, $7::text, $8::timestamptz, $8::timestamptz)`,
    [accountId, added.key_id, hash, added.prefix, scope, name, creator(call), expiresAt],
  );
  return { key, ...added };
}

// An admin's address is not copied, because it would outlive the employee.
function creator({ onBehalfOf }: CallContext): string {
  if (onBehalfOf?.kind === 'invited') return `invitation ${onBehalfOf.invitationId}`;
  return onBehalfOf?.kind === 'admin' ? `employee ${onBehalfOf.employeeId}` : 'operator';
}

async function checkNameAndCount(client: Client, accountId: number, name: string | null, replaces: string | null): Promise<void> {
  const { rows } = await client.query<{ active: number; isNameTaken: boolean }>(
    `select count(*) as active, coalesce(bool_or(lower(name) = lower($2::text) and key_id is distinct from $3::uuid), false) as "isNameTaken"
     from admin.api_key
     where account_id = $1::bigint and revoked_at is null and (ends_at is null or ends_at > now())`,
    [accountId, name, replaces],
  );
  if (rows[0]?.isNameTaken === true)
    throw conflict('an active key already has this name: choose another name, or revoke that key');
  if (name !== null && (rows[0]?.active ?? 0) >= MAX_ACTIVE_KEYS)
    throw conflict(`the account has ${MAX_ACTIVE_KEYS} active keys, which is the maximum: revoke one first`);
}

const DAY_MS = 86_400_000;

/**
 * Returns the time from which a new key is rejected: the end of its last day in UTC, or null if
 * neither the request nor the account sets one (rule AUTH-EXPIRY-1).
 * @param lastDay days since 1970
 * @throws `invalid` when the day is past, or later than the account allows.
 */
async function expiryOf(client: Client, accountId: number, lastDay: number | null): Promise<string | null> {
  const { max_key_days: maxDays } = await currentSettings(client, accountId);
  const today = await dayOfToday(client);
  const latest = maxDays === null ? Infinity : today + maxDays;
  if (lastDay === null) return maxDays === null ? null : endOf(latest);
  if (lastDay < today) throw invalid('expires_on must be today or later');
  if (lastDay > latest) throw invalid(`expires_on must be at most ${maxDays} days from today: the account allows no longer`);
  return endOf(lastDay);
}

// By PostgreSQL's clock, which also ends keys.
async function dayOfToday(client: Client): Promise<number> {
  const { rows } = await client.query<{ day: number }>(`select (now() at time zone 'UTC')::date - date '1970-01-01' as day`);
  return rows[0]?.day ?? Number.NaN;
}

const startOf = (day: number): string => new Date(day * DAY_MS).toISOString();

// The last instant whose year has four digits, as RFC 3339 needs it: people set it for keys without
// an end.
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z') / DAY_MS;
const endOf = (day: number): string => startOf(Math.min(day + 1, END_OF_TIME));

function checkDay(text: string): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) / DAY_MS : Number.NaN;
  if (!Number.isInteger(day) || !startOf(day).startsWith(text)) throw invalid('expires_on must be a day, such as 2027-03-31');
  return day;
}

/**
 * Creates a key. Only this response contains it; the service stores its SHA-256 hash and its
 * prefix.
 */
export const createKey =
  (pool: Pool) =>
  async (request: CreateKeyRequest, call: CallContext): Promise<CreateKeyResponse> => {
    const { account_id: accountId, expires_on: expiresOn } = request;
    const scope = checkScope(request.scope);
    const name = request.name == null ? null : checkKeyName(request.name);
    const lastDay = expiresOn == null ? null : checkDay(expiresOn);
    return withLockedAccount(pool, call, accountId, async (client) => {
      const expiresAt = await expiryOf(client, accountId, lastDay);
      const { key, ...added } = await insertKey(client, call, { accountId, scope, name, expiresAt });
      await audit(client, call, { accountId, action: 'key.create', before: null, after: added });
      return { key_id: added.key_id, key };
    });
  };

function checkScope(wanted: string): ApiKeyScope {
  const scope = API_KEY_SCOPES.find((each) => each === wanted);
  if (scope === undefined) throw invalid(`scope must be one of ${API_KEY_SCOPES.join(', ')}`);
  return scope;
}

// Admins are shown by address as long as the employee exists, as in the audit log.
const CREATOR = `coalesce((
    select nullif(e.email, '') from imports.employee e
    where e.account_id = $1::bigint and e.id = substring(api_key.created_by from '^employee ([0-9]+)$')::bigint
  ), created_by) as created_by`;
const LIST = `select ${keyColumns(CREATOR)} from admin.api_key where account_id = $1::bigint order by api_key.created_at, key_id`;

/** Returns an account's keys, oldest first, including revoked ones. */
export const listKeys =
  (pool: Pool) =>
  ({ account_id: accountId }: ListKeysRequest, call: CallContext): Promise<ListKeysResponse> =>
    withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<ApiKey>(LIST, [accountId]);
      return { keys: rows };
    });

/**
 * Creates a key of the same scope, name and lifetime, and ends the old one at once or after the
 * grace period. The account's maximum shortens the lifetime.
 */
export const rotateKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RotateKeyRequest, call: CallContext): Promise<CreateKeyResponse> => {
    const { account_id: accountId, key_id: keyId, grace_seconds: grace } = request;
    checkUuid(keyId, 'key_id');
    const created = await withLockedAccount(pool, call, accountId, async (client) => {
      const { hash: _hash, has_ended: hasEnded, ...before } = await findKey(client, accountId, keyId);
      if (before.revoked_at != null) throw conflict('the key is already revoked');
      if (hasEnded) throw conflict(`the key ended at ${before.ends_at}: create a new one`);
      const name = before.name ?? null;
      const scope = checkScope(before.scope);
      const expiresAt = await renewedExpiry(client, accountId, before);
      const { key, ...added } = await insertKey(client, call, { accountId, scope, name, expiresAt, replaces: keyId });
      await endKey(client, accountId, keyId, grace);
      await audit(client, call, { accountId, action: 'key.rotate', before, after: { ...added, grace_seconds: grace } });
      return { key_id: added.key_id, key };
    });
    relay.wake(accountId);
    return created;
  };

async function renewedExpiry(client: Client, accountId: number, { created_at, expires_at }: ApiKey): Promise<string | null> {
  if (expires_at == null) return expiryOf(client, accountId, null);
  const { max_key_days: maxDays } = await currentSettings(client, accountId);
  const days = Math.floor((Date.parse(expires_at) - Date.parse(created_at)) / DAY_MS);
  return expiryOf(client, accountId, (await dayOfToday(client)) + Math.min(days, maxDays ?? days));
}

/**
 * Revokes a key, at once or after a grace period. Idempotent: a revoked key keeps its time, and
 * gateways are not notified again.
 */
export const revokeKey =
  (pool: Pool, relay: OutboxRelay) =>
  async (request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> => {
    checkUuid(request.key_id, 'key_id');
    const key = await withLockedAccount(pool, call, request.account_id, (client) => revoke(client, request, call));
    relay.wake(request.account_id);
    return key;
  };

async function revoke(client: Client, request: RevokeKeyRequest, call: CallContext): Promise<ApiKey> {
  const { account_id: accountId, key_id: keyId, grace_seconds: grace } = request;
  const { hash: _hash, has_ended: _hasEnded, ...before } = await findKey(client, accountId, keyId);
  if (before.revoked_at != null) return before;
  const after = await endKey(client, accountId, keyId, grace ?? 0);
  await audit(client, call, { accountId, action: 'key.revoke', before, after });
  return after;
}

const DEFAULT_DAYS = 30;
const MAX_DAYS = 400;

const USAGE = `select key_id, to_char(day, 'YYYY-MM-DD') as day, succeeded, rejected, throttled, failed, deprecated from admin.key_usage
  where account_id = $1::bigint and day > (now() at time zone 'utc')::date - $2::integer order by key_usage.day, key_id`;

/** Returns the requests of each key by day. Gateways report them once a minute. */
export const listUsage =
  (pool: Pool) =>
  async ({ account_id: accountId, days }: ListUsageRequest, call: CallContext): Promise<ListUsageResponse> => {
    const dayCount = days ?? DEFAULT_DAYS;
    if (dayCount < 1 || dayCount > MAX_DAYS) throw invalid(`days must be 1 to ${MAX_DAYS}`);
    return withAccount(pool, call, accountId, async (client) => {
      const { rows } = await client.query<KeyUsage>(USAGE, [accountId, dayCount]);
      return { usage: rows };
    });
  };
