import {
  AccountCounts,
  type CallKind,
  FairLimiter,
  Limit,
  type LimitedCall,
  QueueFullError,
  QueueTimeoutError,
  type Slots,
} from '@survey/process/fair-limiter.ts';
import { accountOf } from '@survey/rpc/call-context.ts';
import type { Response } from 'express';
import type { ApiCall, Endpoint, ReadEndpoint } from '../endpoints/route.ts';
import { Problem } from '../http/problem.ts';

export interface ReadLimits {
  /** Maximum concurrent reads per endpoint. */
  readonly maxConcurrentReads: number;
  /** Maximum concurrent heavy reads per account and upstream service. */
  readonly maxConcurrentHeavyReadsPerAccount: number;
}

const LARGE_PAGE = 200;
// A large page blocks the upstream's only thread for some milliseconds, and delays all other reads.
const LARGE_PAGE_DIVISOR = 16;
// Rendering a page of this size takes the upstream and the gateway about 100 ms.
const HUGE_PAGE_BYTES = 2 * 1024 * 1024;
// Bytes that clients have not read yet. Anybody may have one page, and small ones.
const MAX_UNREAD_BYTES_PER_ACCOUNT = 32 * 1024 * 1024;
const MAX_UNREAD_BYTES = 96 * 1024 * 1024;
const QUEUE_FACTOR = 16;
// Approximate milliseconds of the upstream's thread; a small page is 1.
const SCORE_WEIGHT = 4;
const ROWS_PER_WEIGHT = 100;
const HUGE_PAGE_WEIGHT = 40;

const MAX_UPLOADS = 64;
// An account can run one import at a time; further uploads only get 409.
const MAX_UPLOADS_PER_ACCOUNT = 8;
// The body of a queued upload is not read, so it costs only a connection.
const MAX_QUEUED_UPLOADS = 512;
const MAX_QUEUED_UPLOADS_PER_ACCOUNT = 56;
// A read's deadline is two seconds after its headers; the upstream needs the time that remains.
const READ_QUEUE_TIMEOUT_MS = 1_500;
const UPLOAD_QUEUE_TIMEOUT_MS = 10_000;

/**
 * Builds the endpoints of one upstream service. Each read is admitted by the cost of its parsed
 * query.
 */
interface UpstreamLimits {
  /** Builds a list endpoint, whose pages of more than 200 are heavy reads. */
  readonly list: (endpoint: ReadEndpoint) => Endpoint;
  /** Builds an endpoint whose reads are all heavy. */
  readonly heavy: (endpoint: ReadEndpoint) => Endpoint;
}

interface ConcurrencyLimits {
  readonly upstream: () => UpstreamLimits;
  readonly upload: (endpoint: Endpoint) => Endpoint;
}

/**
 * Limits concurrent reads and uploads with one fair limiter. Each upstream service has its own
 * limits, so a frozen one delays only its own reads.
 */
export function limitConcurrency(options: ReadLimits): ConcurrencyLimits {
  const limiter = new FairLimiter();
  const unread = new AccountCounts();
  return {
    upstream: () => limitReads(limiter, unread, options),
    upload: (endpoint) => limitUploads(limiter, endpoint),
  };
}

function limitReads(
  limiter: FairLimiter,
  unread: AccountCounts,
  { maxConcurrentReads, maxConcurrentHeavyReadsPerAccount }: ReadLimits,
): UpstreamLimits {
  const heavy = new Limit({
    maxConcurrent: Infinity,
    maxConcurrentPerAccount: maxConcurrentHeavyReadsPerAccount,
    maxQueued: Infinity,
    maxQueuedPerAccount: QUEUE_FACTOR * maxConcurrentHeavyReadsPerAccount,
  });
  const large = limitOf(Math.ceil(maxConcurrentReads / LARGE_PAGE_DIVISOR), maxConcurrentReads);
  const huge = limitOf(1, maxConcurrentReads);
  // Accounts whose last large page was huge.
  const hugeAccounts = new Set<number>();

  const limitEndpoint = (endpoint: ReadEndpoint, isHeavy: boolean): Endpoint => {
    const endpointLimit = limitOf(maxConcurrentReads);
    const small = isHeavy ? { kind: [endpointLimit, heavy], weight: SCORE_WEIGHT } : { kind: [endpointLimit], weight: 1 };
    const largePage = [endpointLimit, heavy, large];
    const hugePage = [...largePage, huge];
    const limitsOf = (pageSize: number, accountId: number): Omit<LimitedCall, 'accountId'> => {
      if (pageSize <= LARGE_PAGE) return small;
      if (hugeAccounts.has(accountId)) return { kind: hugePage, weight: HUGE_PAGE_WEIGHT };
      return { kind: largePage, weight: pageSize / ROWS_PER_WEIGHT };
    };
    return async (call) => {
      const { pageSize, respond } = endpoint(call);
      const accountId = accountOf(call.caller);
      const limited = { accountId, ...limitsOf(pageSize, accountId) };
      const slots = await admit(limiter, limited, call.signal, remainingQueueTimeMs(call));
      try {
        await respond((bytes) => holdBytes(unread, call.response, accountId, bytes));
        if (pageSize > LARGE_PAGE && call.response.statusCode === 200) recordSize(call.response, accountId);
      } finally {
        if (limited.kind.includes(heavy)) holdUntilRead(slots, heavy, call.response);
        else slots[Symbol.dispose]();
      }
    };
  };
  const recordSize = (response: Response, accountId: number): void => {
    if (Number(response.getHeader('Content-Length')) > HUGE_PAGE_BYTES) hugeAccounts.add(accountId);
    else hugeAccounts.delete(accountId);
  };
  return {
    list: (endpoint) => limitEndpoint(endpoint, false),
    heavy: (endpoint) => limitEndpoint(endpoint, true),
  };
}

const RETRY_SOON = { headers: { 'Retry-After': '1' } };
const FULL = 'The account has too many concurrent requests. Send fewer at a time, and retry this one later.';
const OVERLOADED = 'The service is overloaded. Retry with exponential backoff.';

/**
 * @throws 429 when the account's queue is full, 503 when the queue of all accounts is full, or on
 *   timeout.
 */
async function admit(limiter: FairLimiter, call: LimitedCall, signal: AbortSignal, timeoutMs: number): Promise<Slots> {
  try {
    return await limiter.acquire(call, { signal, timeoutMs });
  } catch (error) {
    if (error instanceof QueueFullError && error.isOfAccount) throw new Problem(429, FULL, RETRY_SOON);
    if (error instanceof QueueFullError || error instanceof QueueTimeoutError) throw new Problem(503, OVERLOADED, RETRY_SOON);
    throw error;
  }
}

/** @throws 429 or 503 when the account, or all accounts, have too many bytes to read. */
function holdBytes(unread: AccountCounts, response: Response, accountId: number, bytes: number): void {
  const unreadBytes = unread.of(accountId);
  if (unreadBytes > 0 && unreadBytes + bytes > MAX_UNREAD_BYTES_PER_ACCOUNT) throw new Problem(429, FULL, RETRY_SOON);
  if (bytes > HUGE_PAGE_BYTES && unread.total + bytes > MAX_UNREAD_BYTES) throw new Problem(503, OVERLOADED, RETRY_SOON);
  if (response.destroyed) return;
  unread.add(accountId, bytes);
  response.once('close', () => unread.add(accountId, -bytes));
}

// The gateway buffers a response until the client has read it.
function holdUntilRead(slots: Slots, heavy: Limit, response: Response): void {
  if (response.destroyed) return slots[Symbol.dispose]();
  slots.keepOnly(heavy);
  response.once('close', () => slots[Symbol.dispose]());
}

const limitOf = (maxConcurrent: number, queueFor = maxConcurrent): Limit =>
  new Limit({
    maxConcurrent,
    maxConcurrentPerAccount: maxConcurrent,
    maxQueued: QUEUE_FACTOR * queueFor,
    maxQueuedPerAccount: (QUEUE_FACTOR / 2) * queueFor,
  });

function limitUploads(limiter: FairLimiter, endpoint: Endpoint): Endpoint {
  const limit = new Limit({
    maxConcurrent: MAX_UPLOADS,
    maxConcurrentPerAccount: MAX_UPLOADS_PER_ACCOUNT,
    maxQueued: MAX_QUEUED_UPLOADS,
    maxQueuedPerAccount: MAX_QUEUED_UPLOADS_PER_ACCOUNT,
  });
  const kind: CallKind = [limit];
  return async (call) => {
    const upload = { accountId: accountOf(call.caller), kind, weight: 1 };
    using _slot = await admit(limiter, upload, call.signal, UPLOAD_QUEUE_TIMEOUT_MS);
    await endpoint(call);
  };
}

const remainingQueueTimeMs = ({ receivedAt }: ApiCall): number =>
  Math.max(0, receivedAt + READ_QUEUE_TIMEOUT_MS - performance.now());
