import { databaseReplica, grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...databaseReplica,
  ...grpcListen,
  ANSWER_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(512)
    .describe('Answer cache, at 17 bytes per answer. PostgreSQL computes the scores of accounts that do not fit'),
  ANSWER_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(3_650)
    .default(0)
    .describe(
      'Days until the answers of a closed cycle are deleted, the same as in text-analysis; 0: never. `surveyctl settings set --retain-answers` overrides it for an account',
    ),
};

export type Settings = SettingsOf<typeof environment>;
