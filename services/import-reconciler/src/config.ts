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
  MAIL_FIRST_RETRY_SECONDS: z.coerce.number().positive().default(5),
  MAIL_LONGEST_RETRY_SECONDS: z.coerce.number().positive().max(86_400).default(900),
  // Imports of different accounts that are worked on at the same time: each takes two connections.
  IMPORT_CONCURRENCY: z.coerce.number().int().min(1).max(16).default(3),
  // How long the body of an import and what became of its records are kept once it has ended; counts and reasons stay. Imports that have ended
  // already keep what they were promised.
  IMPORT_RETENTION_DAYS: z.coerce.number().positive().max(3_650).default(30),
};

export type Settings = SettingsOf<typeof environment>;
