import type { Queryable } from '@survey/postgres/database.ts';
import { repeat } from '@survey/process/repeat.ts';
import type { ServiceContext } from '@survey/process/service.ts';
import type { RequestHandler } from 'express';
import { getRequestContext } from '../http/request-context.ts';

const FLUSH_INTERVAL_MS = 60_000;

type StoreUsage = (usage: readonly Usage[]) => Promise<void>;

/** Counts the requests of each key, for the web console. */
export interface KeyUsage {
  /** Counts the request by the status of its response. */
  readonly count: RequestHandler;
  flush(): Promise<void>;
}

/**
 * Counts requests by key in memory, and stores the sums once a minute and at shutdown. A crash
 * loses at most one minute. A store that fails after its commit is repeated, and then counts a
 * minute twice.
 */
export function openKeyUsage(store: StoreUsage, { resources, log }: Pick<ServiceContext, 'resources' | 'log'>): KeyUsage {
  let counts = new Map<string, Usage>();
  const add = (usage: Usage): void => {
    const total = counts.get(usage.key_id);
    if (total === undefined) return void counts.set(usage.key_id, usage);
    for (const name of ['succeeded', 'rejected', 'throttled', 'failed', 'deprecated'] as const) total[name] += usage[name];
    if (usage.last_used_at > total.last_used_at) total.last_used_at = usage.last_used_at;
  };
  const flush = async (): Promise<void> => {
    if (counts.size === 0) return;
    const stored = [...counts.values()];
    counts = new Map();
    try {
      await store(stored);
    } catch (error) {
      log.warn({ err: error }, 'key usage not stored');
      for (const usage of stored) add(usage);
    }
  };
  resources.defer(flush);
  resources.use(repeat(FLUSH_INTERVAL_MS, flush));
  return {
    flush,
    count: (request, response, next) => {
      const { caller } = getRequestContext(request);
      if (caller !== undefined) {
        response.once('close', () => {
          const { accountId: account_id, keyId: key_id } = caller;
          add({
            account_id,
            key_id,
            ...NONE,
            [outcomeOf(response.statusCode)]: 1,
            // endpoints/route.ts sets it for an operation that will end.
            deprecated: Number(response.hasHeader('Deprecation')),
            last_used_at: new Date().toISOString(),
          });
        });
      }
      next();
    },
  };
}

function outcomeOf(status: number): 'succeeded' | 'rejected' | 'throttled' | 'failed' {
  if (status === 429) return 'throttled';
  return status < 400 ? 'succeeded' : status < 500 ? 'rejected' : 'failed';
}

const NONE = { succeeded: 0, rejected: 0, throttled: 0, failed: 0 };

export interface Usage {
  account_id: number;
  key_id: string;
  succeeded: number;
  rejected: number;
  throttled: number;
  failed: number;
  // Included in the others.
  deprecated: number;
  last_used_at: string;
}

/** Adds counts to the daily usage of keys. */
export async function addKeyUsage(db: Queryable, usage: readonly Usage[]): Promise<void> {
  await db.query('select admin.add_key_usage($1::jsonb)', [JSON.stringify(usage)]);
}
