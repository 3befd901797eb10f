import { serviceEnvironment } from '@survey/process/environment.ts';
import { httpTlsSettings } from '@survey/process/http-tls.ts';
import { redisUrl } from '@survey/process/open-redis.ts';
import { z } from 'zod';

const address = z.string().min(1);

export const environment = {
  ...serviceEnvironment,
  ...httpTlsSettings,
  REDIS_URL: redisUrl,
  // Address of the public API: host:port.
  HTTP_LISTEN: z.string().default('127.0.0.1:8080'),
  // host:port, or a name that resolves to all instances.
  EXPORT_ADDRESS: address,
  IMPORT_RECONCILER_ADDRESS: address,
  SCORING_ANONYMITY_ADDRESS: address,
  TEXT_ANALYSIS_ADDRESS: address,
  // Maximum requests per key and minute, unless the account has a limit of its own (surveyctl
  // settings set --rate-limit).
  RATE_LIMIT: z.coerce.number().int().min(1).max(1_000_000).default(60_000),
  // Maximum concurrent reads per gateway and endpoint; further reads are queued, then rejected.
  MAX_CONCURRENT_READS: z.coerce.number().int().min(1).max(10_000).default(32),
  // Maximum concurrent heavy reads (scores, text responses, pages of more than 200) per gateway,
  // account and upstream service.
  MAX_CONCURRENT_HEAVY_READS_PER_ACCOUNT: z.coerce.number().int().min(1).max(10_000).default(8),
  // Mean event-loop delay above which each account has one request at a time, and further ones get
  // 503.
  MAX_EVENT_LOOP_DELAY_MS: z.coerce.number().int().min(10).max(10_000).default(250),
  // Longest time from the headers of a snapshot upload to its response.
  IMPORT_DEADLINE_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
};

export type Settings = z.output<z.ZodObject<typeof environment>>;
