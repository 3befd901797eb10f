import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { SERVICES } from '@survey/local/service-environments.ts';
import type { Pool } from '@survey/postgres/database.ts';
import { Redis } from 'ioredis';
import type { WholeStack } from './whole-stack.ts';

/** Everything that is written somewhere, by where it stands: `log gateway`, `imports.employee.email`, `stream EVENTS`. */
type ScannedOutputs = ReadonlyMap<string, string>;

/** Looks at all that a running stack has written: logs of services and servers, metrics, tables, streams and consumers, Redis, mails. */
export async function readPlaces(stack: WholeStack, logFolders: readonly string[]): Promise<ScannedOutputs> {
  const places = new Map<string, string>();
  for (const [kind, read] of Object.entries({
    log: async () => (await Promise.all(logFolders.map((folder) => filesIn(folder, '.log')))).flat(),
    mail: () => filesIn(stack.mailDir, '.eml'),
    metrics: () => metricsOf(stack),
    '': () => columnsOf(stack.db),
    bus: () => streamsOf(stack.nats.url),
    redis: () => cacheOf(stack.redis.url),
  }))
    for (const [name, text] of await read()) places.set(`${kind} ${name}`.trim(), text);
  return places;
}

type Named = [name: string, text: string][];

async function filesIn(folder: string, ending: string): Promise<Named> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ending));
  return Promise.all(names.map(async (name): Promise<Named[0]> => [name, await readFile(join(folder, name), 'utf8')]));
}

async function metricsOf({ services }: WholeStack): Promise<Named> {
  const read = async (service: (typeof SERVICES)[number]): Promise<Named[0]> => {
    const response = await fetch(`http://${services[service].probeAddress}/metrics`);
    return [service, await response.text()];
  };
  return Promise.all(SERVICES.map(read));
}

async function columnsOf(db: Pool): Promise<Named> {
  const { rows } = await db.query<{ table: string; column: string; isBytes: boolean }>(`
    select format('%I.%I', n.nspname, c.relname) as table, a.attname as column, a.atttypid = 'bytea'::regtype as "isBytes"
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`);
  const columns: Named = [];
  for (const { table, column, isBytes } of rows) {
    const text = isBytes ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const found = await db.query<{ all: string | null }>(`select string_agg(${text}, ' ') as all from ${table}`);
    columns.push([`${table}.${column}`, found.rows[0]?.all ?? '']);
  }
  return columns;
}

async function streamsOf(url: string): Promise<Named> {
  const bus = await connect({ servers: url });
  const manager = await jetstreamManager(bus);
  const named: Named = [];
  try {
    for await (const { config, state } of manager.streams.list()) {
      for await (const consumer of manager.consumers.list(config.name))
        named.push([`consumer ${consumer.name}`, JSON.stringify(consumer)]);
      if (config.retention === 'workqueue' || state.messages === 0) continue;
      const consumer = await jetstream(bus).consumers.get(config.name, { deliver_policy: DeliverPolicy.All });
      let text = '';
      for await (const message of await consumer.consume()) {
        const headers = JSON.stringify([...(message.headers ?? [])]);
        text += `${message.subject} ${headers} ${Buffer.from(message.data).toString('utf8')}\n`;
        if (message.seq >= state.last_seq) break;
      }
      named.push([`stream ${config.name}`, text]);
    }
  } finally {
    await bus.close();
  }
  return named;
}

async function cacheOf(url: string): Promise<Named> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys('*');
    const values = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
    return [['', [...keys, ...values.map((value) => value?.toString('latin1') ?? '')].join('\n')]];
  } finally {
    redis.disconnect();
  }
}
