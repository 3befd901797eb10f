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
  const add = (more: Usage): void => {
    const total = counts.get(more.key_id);
    if (total === undefined) return void counts.set(more.key_id, more);
    for (const name of ['succeeded', 'rejected', 'throttled', 'failed'] as const) total[name] += more[name];
    if (more.last_used_at > total.last_used_at) total.last_used_at = more.last_used_at;
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
          add({ account_id, key_id, ...outcomeOf(response.statusCode), last_used_at: new Date().toISOString() });
        });
      }
      next();
    },
  };
}

function outcomeOf(status: number): Pick<Usage, 'succeeded' | 'rejected' | 'throttled' | 'failed'> {
  return {
    succeeded: Number(status < 400),
    rejected: Number(status >= 400 && status < 500 && status !== 429),
    throttled: Number(status === 429),
    failed: Number(status >= 500),
  };
}

export interface Usage {
  account_id: number;
  key_id: string;
  succeeded: number;
  rejected: number;
  throttled: number;
  failed: number;
  last_used_at: string;
}

/** Adds counts to the daily usage of keys. */
export async function addKeyUsage(db: Queryable, usage: readonly Usage[]): Promise<void> {
  await db.query('select admin.add_key_usage($1::jsonb)', [JSON.stringify(usage)]);
}
