import { serviceEnvironment } from '@survey/process/environment.ts';
import { z } from 'zod';

const address = z.string().min(1);

export const environment = {
  ...serviceEnvironment,
  REDIS_URL: z.url(),
  // Authenticates what the gateways tell one another about API keys through Redis: the same for all of them. Empty: each looks up keys by itself.
  API_KEY_CACHE_SECRET: z.union([z.literal('').transform(() => undefined), z.string().min(32)]).optional(),
  // Where the public API answers: host:port.
  HTTP_LISTEN: z.string().default('127.0.0.1:8080'),
  // host:port, or a name that resolves to all instances.
  EXPORT_ADDRESS: address,
  IMPORT_RECONCILER_ADDRESS: address,
  SCORING_ANONYMITY_ADDRESS: address,
  TEXT_ANALYSIS_ADDRESS: address,
  // Requests that each key may make in a minute, unless its account has a limit of its own (surveyctl settings set --rate-limit).
  RATE_LIMIT: z.coerce.number().int().min(1).max(1_000_000).default(60_000),
  // Reads that one gateway has under way at each endpoint; others wait their turn, and those that find no room are refused.
  MAX_CONCURRENT_READS: z.coerce.number().int().min(1).max(10_000).default(32),
  // Heavy reads (scores, answers, pages of more than 200) of one account that one gateway has under way at each service behind.
  MAX_CONCURRENT_HEAVY_READS_PER_ACCOUNT: z.coerce.number().int().min(1).max(10_000).default(8),
  // How late the event loop may be on average before each account has only one request at a time, and 503 for others.
  MAX_EVENT_LOOP_DELAY_MS: z.coerce.number().int().min(10).max(10_000).default(250),
  // How long a client may take to send a snapshot, until the answer to it.
  IMPORT_DEADLINE_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
};

export type Settings = z.output<z.ZodObject<typeof environment>>;
