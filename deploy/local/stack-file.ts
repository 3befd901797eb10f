import { readFile, rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const stack = z.object({
  gateway_url: z.string(),
  database_url: z.string(),
  nats_url: z.string(),
  // Absent if there is no Redis.
  redis_url: z.string().optional(),
  mail_dir: z.string(),
  // URL of the gateway's metrics.
  metrics_url: z.string(),
  // host:port of every service, and of its probes and metrics.
  services: z.record(z.string(), z.object({ serve: z.string(), probe: z.string() })),
  // Log lines of all services, as JSON.
  log_file: z.string(),
  account_admin_address: z.string(),
  export_address: z.string(),
  // Absent if the console was not started.
  console_url: z.string().optional(),
  // What could not be started, and why.
  not_running: z.array(z.object({ name: z.string(), reason: z.string() })),
  demo: z.object({ account_id: z.number(), read_key: z.string(), write_key: z.string() }).optional(),
});

/**
 * Addresses of everything that `npm start` started. `surveyctl` reads them when no other address is
 * given.
 */
export type Stack = z.infer<typeof stack>;
export type NotRunning = Stack['not_running'][number];
export type Demo = NonNullable<Stack['demo']>;

/** Returns what the last start wrote; undefined if there was none or an older version wrote it. */
export async function readStack(file: string): Promise<Stack | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : stack.safeParse(JSON.parse(text)).data;
}

/** Only its owner can read the file: it holds passwords and keys. */
export async function writeStack(file: string, content: Stack): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
