import { databaseReplica, grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...databaseReplica,
  ...grpcListen,
  // For the answers of the accounts that were asked for last, 17 bytes each. Others are added up by PostgreSQL.
  ANSWER_CACHE_MB: z.coerce.number().int().min(1).max(1_000_000).default(512),
};

export type Settings = SettingsOf<typeof environment>;
