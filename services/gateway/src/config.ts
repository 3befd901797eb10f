import { serviceEnvironment } from '@survey/process/environment.ts';
import { z } from 'zod';

const address = z.string().min(1);

export const environment = {
  ...serviceEnvironment,
  REDIS_URL: z.url(),
  // Where the public API answers: host:port.
  HTTP_LISTEN: z.string().default('127.0.0.1:8080'),
  // host:port, or a name that resolves to all instances.
  EXPORT_ADDRESS: address,
  IMPORT_RECONCILER_ADDRESS: address,
  SCORING_ANONYMITY_ADDRESS: address,
  TEXT_ANALYSIS_ADDRESS: address,
  // How long a client may take to send a snapshot, until the answer to it.
  IMPORT_DEADLINE_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
};

export type Settings = z.output<z.ZodObject<typeof environment>>;
