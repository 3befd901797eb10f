import { z } from 'zod';
import { grpcTlsSettings } from './grpc-tls.ts';
import { traceSettings } from './trace-settings.ts';

// 35 minutes: longer than any request or import may take.
const MAX_STOP_MS = 2_100_000;

/** Settings of the process itself. */
export const processSettings = {
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  // How long readiness is refused before connections close, for balancers that learn of it late.
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(MAX_STOP_MS).default(0),
  // How long work under way may take after that before the process ends all the same.
  SHUTDOWN_TIMEOUT_MS: z.coerce.number().int().min(0).max(MAX_STOP_MS).default(25_000),
  // For tests alone (failpoint.ts).
  FAILPOINTS: z.literal('on').optional(),
  NODE_ENV: z.string().optional(),
};

// What every process needs from its environment, and what its absence does.
export const processEnvironment = {
  // Where /livez, /readyz, /startupz and /metrics answer: host:port, port 0 for any free one.
  PROBE_LISTEN: z.string().default('127.0.0.1:0'),
  ...grpcTlsSettings,
  ...traceSettings,
  ...processSettings,
};

export const serviceEnvironment = {
  // Of the service's own role: it cannot read what the role is not granted.
  DATABASE_URL: z.url(),
  NATS_URL: z.string().min(1),
  ...processEnvironment,
};

/** Of services whose reads a replica may serve, under the role of DATABASE_URL. */
export const databaseReplica = {
  // A streaming replica, or a name for several. Absent: the primary serves all.
  DATABASE_REPLICA_URL: z.url().optional(),
  // What was committed longer ago than that is in every answer. How far the primary is gets noted
  // once a second.
  DATABASE_REPLICA_MAX_LAG_SECONDS: z.coerce.number().int().min(2).max(60).default(5),
};

export const grpcListen = { GRPC_LISTEN: z.string().default('127.0.0.1:0') };

/** The settings that a service's environment turns into. */
export type SettingsOf<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

/**
 * The environment as the schema types it; an empty variable counts as one that is not set. Throws
 * one readable message that names every setting at fault, never a value.
 */
export function readEnvironment<S extends z.ZodRawShape>(shape: S, environment: NodeJS.ProcessEnv): SettingsOf<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = z.object(shape).safeParse(given);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the environment is not usable:\n${faults.join('\n')}`);
}
