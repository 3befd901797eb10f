import { z } from 'zod';
import { grpcTlsSettings } from './grpc-tls.ts';
import { traceSettings } from './trace-settings.ts';

// 35 minutes: longer than any request or import may take.
const MAX_STOP_MS = 2_100_000;

/** Settings of the process itself. */
export const processSettings = {
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  // Time between failing readiness and closing connections, for load balancers that react late.
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(MAX_STOP_MS).default(0),
  // Maximum time for in-flight work after that before the process exits.
  SHUTDOWN_TIMEOUT_MS: z.coerce.number().int().min(0).max(MAX_STOP_MS).default(25_000),
  // Folder of files that are named like variables and contain their values. Absent: none are read.
  SECRETS_DIR: z.string().optional(),
  // For tests only (failpoint.ts).
  FAILPOINTS: z.literal('on').optional(),
  NODE_ENV: z.string().optional(),
};

// Environment variables of every process, with their defaults.
export const processEnvironment = {
  // Address of /livez, /readyz, /startupz and /metrics: host:port, port 0 for any free one.
  PROBE_LISTEN: z.string().default('127.0.0.1:0'),
  ...grpcTlsSettings,
  ...traceSettings,
  ...processSettings,
};

export const serviceEnvironment = {
  // URL for the service's own role, which can read only what is granted to it.
  DATABASE_URL: z.url(),
  NATS_URL: z.string().min(1),
  ...processEnvironment,
};

/** Settings of services whose reads a replica may serve, with the role of DATABASE_URL. */
export const databaseReplica = {
  // A streaming replica, or a name for several. Absent: the primary serves all reads.
  DATABASE_REPLICA_URL: z.url().optional(),
  // Maximum age of a commit that a response may miss. The primary's position is sampled once per
  // second.
  DATABASE_REPLICA_MAX_LAG_SECONDS: z.coerce.number().int().min(2).max(60).default(5),
};

export const grpcListen = { GRPC_LISTEN: z.string().default('127.0.0.1:0') };

/** The parsed settings of a service's environment. */
export type SettingsOf<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

/**
 * Parses the environment with the schema; an empty variable counts as unset.
 * @throws one readable message that names every invalid setting, never a value
 */
export function readEnvironment<S extends z.ZodRawShape>(shape: S, environment: NodeJS.ProcessEnv): SettingsOf<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`cannot read the environment:\n${faults.join('\n')}`);
}
