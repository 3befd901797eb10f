import { grpcListen, importRetention, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  SMTP_URL: z.url().optional().describe('Mail server for import summaries and changes of the disclosure guard'),
  MAIL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Folder for `.eml` files, used without `SMTP_URL`. Without both, no mail is sent'),
  CONSOLE_URL: z.url().optional().describe('Origin of the console, for links in mails; without it they have none'),
  MAIL_FROM: z.string().default('survey@survey.invalid').describe('Sender of mails'),
  MAIL_TIMEOUT_SECONDS: z.coerce.number().positive().max(100).default(30).describe('Maximum time for the delivery of one mail'),
  MAIL_RETRY_INITIAL_SECONDS: z.coerce
    .number()
    .positive()
    .default(5)
    .describe('Wait before a mail is sent again; it doubles with each attempt'),
  MAIL_RETRY_MAX_SECONDS: z.coerce.number().positive().max(86_400).default(900).describe('Maximum of that wait'),
  MAX_GZIP_BODY_MIB: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_024)
    .describe('Maximum body as received with gzip; larger ones get 413'),
  MAX_JSON_BODY_MIB: z.coerce.number().int().min(1).default(16_384).describe('Maximum JSON, inflated or plain; more gets 413'),
  MAX_INFLATION_RATIO: z.coerce
    .number()
    .int()
    .min(2)
    .max(1_032)
    .default(200)
    .describe('Maximum bytes of JSON per byte of gzip, once 16 MiB are inflated; more gets 413'),
  ...importRetention,
  IMPORT_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(16)
    .default(3)
    .describe('Concurrent imports of different accounts; one more runs if it has at most 5,000 records. Each uses 2 connections'),
  ALLOW_DELETES_DAYS: z.coerce
    .number()
    .positive()
    .max(3_650)
    .default(7)
    .describe(
      'Days until the body of an import that the deletion threshold cancelled is deleted; `surveyctl import allow-deletes` needs it',
    ),
  SWEEP_INTERVAL_SECONDS: z.coerce
    .number()
    .min(0.1)
    .max(60)
    .default(5)
    .describe('Interval of the search for imports whose message was lost or whose worker died'),
  IDLE_IN_TRANSACTION_TIMEOUT_SECONDS: z.coerce
    .number()
    .min(1)
    .max(600)
    .default(60)
    .describe('Time after which PostgreSQL ends the transaction of a frozen process, so that others can take over'),
};

export type Settings = SettingsOf<typeof environment>;
