import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // Where summaries of imports go: a mail server, or without one a folder for .eml files.
  SMTP_URL: z.url().optional(),
  MAIL_DIR: z.string().min(1).optional(),
  MAIL_FROM: z.string().default('survey@survey.invalid'),
  // How long the mail server may take over one mail, and when it is asked again after it did not take it: first, and at most, since the time doubles.
  MAIL_TIMEOUT_SECONDS: z.coerce.number().positive().max(100).default(30),
  MAIL_RETRY_INITIAL_SECONDS: z.coerce.number().positive().default(5),
  MAIL_RETRY_MAX_SECONDS: z.coerce.number().positive().max(86_400).default(900),
  // Ceilings of a snapshot, above which it is 413 (docs/operating.md): as received with gzip; of JSON, inflated or plain; and of JSON for each byte
  // of gzip, once 16 MiB were inflated.
  MAX_GZIP_BODY_MIB: z.coerce.number().int().min(1).default(1_024),
  MAX_JSON_BODY_MIB: z.coerce.number().int().min(1).default(16_384),
  MAX_INFLATION_RATIO: z.coerce.number().int().min(2).max(1_032).default(200),
  // Imports of different accounts that are worked on at the same time: each takes two connections.
  IMPORT_CONCURRENCY: z.coerce.number().int().min(1).max(16).default(3),
  // Days that the outcomes of an import's records are kept once it has ended; counts and reasons stay. Imports that ended before a change keep theirs.
  IMPORT_RETENTION_DAYS: z.coerce.number().positive().max(3_650).default(30),
  // Days that the body of an import is kept for `allow-deletes` when the deletion threshold cancelled it. Any other body is deleted when its import ends.
  ALLOW_DELETES_DAYS: z.coerce.number().positive().max(3_650).default(7),
  // How often imports are looked for whose message the bus has lost, or whose worker has died.
  SWEEP_INTERVAL_SECONDS: z.coerce.number().min(0.1).max(60).default(5),
  // How long PostgreSQL waits for an instance that is paused in a transaction, such as an import's, until it ends it and others can take over.
  IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: z.coerce.number().min(1).max(600).default(60),
};

export type Settings = SettingsOf<typeof environment>;
