import { grpcListen, serviceEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { z } from 'zod';

export const environment = {
  ...serviceEnvironment,
  ...grpcListen,
  // host:port, or a name that resolves to all instances.
  IMPORT_RECONCILER_ADDRESS: z.string().min(1),
  // Address of text-analysis, which receives the calls about topics and texts.
  TEXT_ANALYSIS_ADDRESS: z.string().min(1),
  // Days to keep entries of the audit log, for accounts without a setting; 0: for ever.
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
};

export type Settings = SettingsOf<typeof environment>;
