import { setTimeout as sleep } from 'node:timers/promises';
import { isStarting, provision } from '@survey/bus/provision.ts';
import { STREAMS } from '@survey/bus/streams.ts';
import { inspectDatabase } from '@survey/postgres/inspect-database.ts';
import { migrate, ROLES, type Role } from '@survey/postgres/migrate.ts';
import { json, processSettings, readEnvironment, type SettingsOf } from '@survey/process/environment.ts';
import { createLog } from '@survey/process/log.ts';
import { loadSecretFiles } from '@survey/process/secret-files.ts';
import { z } from 'zod';

const RETRY_MS = 2_000;

const environment = {
  // URL for the schema owner; connects directly, not through PgBouncer.
  DATABASE_URL: z.url(),
  // Connections that PostgreSQL must allow at least.
  DATABASE_CONNECTIONS: z.coerce.number().int().min(1).default(1),
  // Whether DATABASE_URL is the coordinator of a Citus cluster.
  CITUS: z.stringbool().default(false),
  NATS_URL: z.string().min(1),
  // Replicas of each stream.
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).optional(),
  // Maximum bytes of streams by name, as JSON.
  STREAM_MAX_BYTES: json(z.partialRecord(z.enum(STREAMS.map(({ name }) => name)), z.number().int().positive())).default({}),
  // Consumers of events for the application, separated by commas.
  EVENT_CONSUMERS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  // Maximum time to wait for PostgreSQL and NATS to start.
  WAIT_SECONDS: z.coerce.number().int().min(0).default(0),
  LOG_LEVEL: processSettings.LOG_LEVEL,
};

// Until the settings are read.
let log = createLog('prepare', 'info');
try {
  loadSecretFiles();
  const settings = readEnvironment(environment, process.env);
  log = createLog('prepare', settings.LOG_LEVEL);
  const deadline = performance.now() + settings.WAIT_SECONDS * 1_000;
  const say = (message: string): void => log.info(message);
  const rolePasswords = givenPasswords();
  const { DATABASE_URL: databaseUrl, CITUS: distribute } = settings;
  await insist(deadline, () => migrate({ databaseUrl, rolePasswords, distribute, log: say }));
  await requireConnections(settings);
  const { NATS_URL: natsUrl, STREAM_REPLICAS: replicas, STREAM_MAX_BYTES: maxBytes, EVENT_CONSUMERS: eventConsumers } = settings;
  await insist(deadline, () => provision({ natsUrl, replicas, maxBytes, eventConsumers, log: say }));
  log.info('preparation finished');
} catch (error) {
  log.error({ err: error }, error instanceof Error ? error.message : 'preparation failed');
  process.exitCode = 1;
}

async function requireConnections({ DATABASE_URL, DATABASE_CONNECTIONS: needed }: SettingsOf<typeof environment>): Promise<void> {
  const { maxConnections } = await inspectDatabase(DATABASE_URL);
  if (maxConnections < needed)
    throw new Error(
      `cannot prepare: PostgreSQL allows ${maxConnections} connections, postgres.maxConnections is ${needed}; raise the server's max_connections, or lower the value`,
    );
}

// Reads SURVEY_EXPORT_PASSWORD and the like; a role without one keeps its password.
function givenPasswords(): Partial<Record<Role, string>> {
  const passwords = ROLES.map((role) => [role, process.env[`${role.toUpperCase()}_PASSWORD`]] as const);
  return Object.fromEntries(passwords.filter(([, password]) => password !== undefined));
}

// Retries until the deadline, because both stores may still be starting.
async function insist(deadline: number, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || performance.now() > deadline) throw error;
      log.info({ err: error }, 'waiting');
      await sleep(RETRY_MS);
    }
  }
}

// Unreachable, host name not known yet (ENOTFOUND, EAI_AGAIN), or PostgreSQL starting (57P03).
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(ECONN|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|57P0)/.test(code) ||
    isStarting(error) ||
    (error.cause !== undefined && mayPass(error.cause))
  );
}
