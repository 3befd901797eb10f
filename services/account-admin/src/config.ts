import {
  answerRetention,
  grpcListen,
  importRetention,
  retentionDays,
  serviceEnvironment,
  type SettingsOf,
} from '@survey/process/environment.ts';
import { z } from 'zod';

const issuers = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean),
  )
  .refine((all) => all.every((issuer) => URL.canParse(issuer)), 'must be URLs, separated by commas');

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  IMPORT_RECONCILER_ADDRESS: z
    .string()
    .min(1)
    .describe('host:port of import-reconciler; the name may resolve to several instances'),
  TEXT_ANALYSIS_ADDRESS: z.string().min(1).describe('host:port of text-analysis'),
  OPERATOR_ISSUERS: issuers.describe(
    'Issuers of your own staff, separated by commas. No account can be bound to one, so that operators cannot make themselves admins',
  ),
  DISCLOSURE_GUARD_DEFAULT: z
    .enum(['', 'strict', 'off'])
    .default('')
    .describe(
      'Disclosure guard of new accounts: `strict` or `off`. Empty: whoever creates an account decides, with `--disclosure-guard`',
    ),
  ...answerRetention,
  ...importRetention,
  AUDIT_RETENTION_DAYS: retentionDays.describe(
    'Days until an entry of the audit log is deleted; 0: never. `surveyctl settings set --retain-audit` overrides it for an account',
  ),
};

export type Settings = SettingsOf<typeof environment>;
