import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // Where summaries of imports go: a mail server, or without one a folder for .eml files.
  SMTP_URL: z.url().optional(),
  MAIL_DIR: z.string().min(1).optional(),
  MAIL_FROM: z.string().default('survey@survey.invalid'),
  // Imports of different accounts that are worked on at the same time: each takes two connections.
  IMPORT_CONCURRENCY: z.coerce.number().int().min(1).max(16).default(3),
};

export type Settings = SettingsOf<typeof environment>;
