import {
  answerRetention,
  databaseReplica,
  grpcListen,
  serviceEnvironment,
  type SettingsOf,
} from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...databaseReplica,
  ...grpcListen,
  ...answerRetention,
  ANSWER_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(512)
    .describe('Answer cache, at 17 bytes per answer. PostgreSQL computes the scores of accounts that do not fit'),
};

export type Settings = SettingsOf<typeof environment>;
