import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // Destination of import summaries: a mail server, or a folder for .eml files when no server is
  // set.
  SMTP_URL: z.url().optional(),
  MAIL_DIR: z.string().min(1).optional(),
  MAIL_FROM: z.string().default('survey@survey.invalid'),
  // Timeout per mail, then the first and the longest retry delay; the delay doubles in between.
  MAIL_TIMEOUT_SECONDS: z.coerce.number().positive().max(100).default(30),
  MAIL_RETRY_INITIAL_SECONDS: z.coerce.number().positive().default(5),
  MAIL_RETRY_MAX_SECONDS: z.coerce.number().positive().max(86_400).default(900),
  // Snapshot limits, above which the response is 413 (docs/operating.md): size as received with
  // gzip, size of the JSON, and JSON bytes per gzip byte once 16 MiB are inflated.
  MAX_GZIP_BODY_MIB: z.coerce.number().int().min(1).default(1_024),
  MAX_JSON_BODY_MIB: z.coerce.number().int().min(1).default(16_384),
  MAX_INFLATION_RATIO: z.coerce.number().int().min(2).max(1_032).default(200),
  // Concurrent imports, of different accounts; each uses two connections.
  IMPORT_CONCURRENCY: z.coerce.number().int().min(1).max(16).default(3),
  // Days to keep the outcomes of records after an import has ended; counts and reasons stay. A
  // change does not affect imports that have already ended.
  IMPORT_RETENTION_DAYS: z.coerce.number().positive().max(3_650).default(30),
  // Days to keep the body of an import cancelled by the deletion threshold, for `allow-deletes`.
  // Other bodies are deleted when their import ends.
  ALLOW_DELETES_DAYS: z.coerce.number().positive().max(3_650).default(7),
  // Days to keep employees after their offboarding, for accounts without a setting; 0: for ever.
  OFFBOARDED_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
  // Interval of the scan for imports whose message was lost or whose worker died.
  SWEEP_INTERVAL_SECONDS: z.coerce.number().min(0.1).max(60).default(5),
  // Time after which PostgreSQL ends the idle transaction of a paused instance, so that others can
  // take over.
  IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: z.coerce.number().min(1).max(600).default(60),
};

export type Settings = SettingsOf<typeof environment>;
