import { serviceEnvironment } from '@survey/process/environment.ts';
import { httpTlsSettings } from '@survey/process/http-tls.ts';
import { redisUrl } from '@survey/process/open-redis.ts';
import { z } from 'zod';

const address = z.string().min(1);

export const environment = {
  ...serviceEnvironment,
  ...httpTlsSettings,
  REDIS_URL: redisUrl.describe(
    'Redis for request counts: `redis://host:port`, or `redis+sentinel://host:port/group` for each Sentinel, separated by commas. A Redis Cluster is rejected',
  ),
  HTTP_LISTEN: z.string().default('127.0.0.1:8080').describe('host:port of the public API'),
  EXPORT_ADDRESS: address.describe('host:port of export; the name may resolve to several instances'),
  IMPORT_RECONCILER_ADDRESS: address.describe('host:port of import-reconciler'),
  SCORING_ANONYMITY_ADDRESS: address.describe('host:port of scoring-anonymity'),
  TEXT_ANALYSIS_ADDRESS: address.describe('host:port of text-analysis'),
  RATE_LIMIT: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(60_000)
    .describe(
      'Requests per API key and minute, unless the account has a limit of its own (`surveyctl settings set --rate-limit`)',
    ),
  MAX_CONCURRENT_READS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(32)
    .describe('Concurrent reads per endpoint; further ones are queued, then rejected'),
  MAX_CONCURRENT_HEAVY_READS_PER_ACCOUNT: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(8)
    .describe('Concurrent heavy reads (scores, text responses, pages of more than 200) per account and upstream service'),
  MAX_EVENT_LOOP_DELAY_MS: z.coerce
    .number()
    .int()
    .min(10)
    .max(10_000)
    .default(250)
    .describe('Mean event-loop delay above which the gateway sheds load'),
  IMPORT_DEADLINE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(600)
    .describe('Time for an import request, from its headers to its response'),
};

export type Settings = z.output<z.ZodObject<typeof environment>>;
