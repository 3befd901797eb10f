import { databaseReplica, grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...databaseReplica,
  ...grpcListen,
  // Cache for the most recently requested accounts, at 17 bytes per answer. PostgreSQL adds up the
  // answers of other accounts.
  ANSWER_CACHE_MB: z.coerce.number().int().min(1).max(1_000_000).default(512),
  // Days to keep answers after the end of their cycle, for accounts without a setting; 0: for
  // ever. The same in scoring-anonymity and text-analysis.
  ANSWER_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
};

export type Settings = SettingsOf<typeof environment>;
