import { z } from 'zod';
import { grpcTlsSettings } from './grpc-tls.ts';
import { traceSettings } from './trace-settings.ts';

// 35 minutes: longer than any request or import may take.
const MAX_STOP_MS = 2_100_000;

/** Settings of the process itself. */
export const processSettings = {
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info').describe('Minimum level to log'),
  DRAIN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_STOP_MS)
    .default(0)
    .describe('Time between failing readiness and closing connections, for load balancers that react late'),
  SHUTDOWN_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_STOP_MS)
    .default(25_000)
    .describe('Maximum time for work in progress after that, before the process exits'),
  SECRETS_DIR: z
    .string()
    .optional()
    .describe(
      'Folder whose files are named like variables and contain their values. Read again every 10 s, but only `PGPASSWORD` takes effect without a restart',
    ),
  FAILPOINTS: z.literal('on').optional().describe('For fault tests only'),
  NODE_ENV: z.string().optional().describe('`production` in the image, where `FAILPOINTS` is an error'),
};

// Environment variables of every process, with their defaults.
export const processEnvironment = {
  PROBE_LISTEN: z
    .string()
    .default('127.0.0.1:0')
    .describe('host:port of `/livez`, `/readyz`, `/startupz` and `/metrics`; port 0 means any free port'),
  ...grpcTlsSettings,
  ...traceSettings,
  ...processSettings,
};

export const serviceEnvironment = {
  DATABASE_URL: z
    .url()
    .describe('PostgreSQL, or a PgBouncer from 1.21 with `max_prepared_statements`, under the service’s own role'),
  NATS_URL: z.string().min(1).describe('NATS servers under the service’s own user, separated by commas'),
  ...processEnvironment,
};

/** A setting whose text is JSON of the schema. */
export const json = <S extends z.ZodType>(schema: S) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue('must be JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Settings of services whose reads a replica may serve, with the role of DATABASE_URL. */
export const databaseReplica = {
  DATABASE_REPLICA_URL: z
    .url()
    .optional()
    .describe('Streaming replica, or a name for several, under the role of `DATABASE_URL`. Absent: the primary serves all reads'),
  DATABASE_REPLICA_MAX_LAG_SECONDS: z.coerce
    .number()
    .int()
    .min(2)
    .max(60)
    .default(5)
    .describe('Maximum age of a commit that a response may miss'),
};

export const grpcListen = {
  GRPC_LISTEN: z.string().default('127.0.0.1:0').describe('host:port of the gRPC server; port 0 means any free port'),
};

/** Days until data is deleted; 0: never. */
export const retentionDays = z.coerce.number().int().min(0).max(3_650).default(0);

// Defaults of accounts without a setting, which account-admin shows and the others obey.
export const answerRetention = {
  ANSWER_RETENTION_DAYS: retentionDays.describe(
    'Days until the answers of a closed cycle are deleted, the same in scoring-anonymity, text-analysis and account-admin; 0: never. `surveyctl settings set --retain-answers` overrides it for an account',
  ),
};

export const importRetention = {
  IMPORT_RETENTION_DAYS: z.coerce
    .number()
    .positive()
    .max(3_650)
    .default(30)
    .describe(
      'Days until the outcomes of records and the summary of an import are deleted, and values of attributes that nobody has had since; counts and reasons are kept. The same in account-admin. `surveyctl settings set --retain-outcomes` overrides it for an account',
    ),
  OFFBOARDED_RETENTION_DAYS: retentionDays.describe(
    'Days until an offboarded employee is erased, the same in account-admin; 0: never. `surveyctl settings set --retain-offboarded` overrides it for an account',
  ),
};

/** The parsed settings of a service's environment. */
export type SettingsOf<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

/**
 * Parses the environment with the schema; an empty or blank variable counts as unset.
 * @throws one readable message that names every invalid setting, never a value
 */
export function readEnvironment<S extends z.ZodRawShape>(shape: S, environment: NodeJS.ProcessEnv): SettingsOf<S> {
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const result = z.object(shape).safeParse(variables);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`cannot read the environment:\n${faults.join('\n')}`);
}
