import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { causeOf } from '@survey/process/cause-of.ts';
import { parseListen } from '@survey/process/listen.ts';
import { LOG_FIELDS } from '@survey/process/log-fields.ts';
import { argument, localCommand, optional, withDefault } from '../command.ts';
import { CommandError, EXIT } from '../command-error.ts';
import type { ConnectionOptions } from '../find-account-admin.ts';
import { writeNewFile } from '../output.ts';
import manifest from '../../package.json' with { type: 'json' };

const HELP = `
Writes one JSON file: versions, settings without secrets, the findings of doctor, metrics, statistics and query plans of
PostgreSQL where DATABASE_URL is the URL of the schema's owner, and the log lines that are given. It contains no secrets, names or answers.
Of a stack of \`npm start\` it takes all of this from .local/stack.json.

Examples:
  $ npx surveyctl support-bundle bundle.json
  $ npx surveyctl support-bundle bundle.json --metrics 127.0.0.1:9090
  $ kubectl -n survey logs -l app.kubernetes.io/part-of=survey --tail=2000 | npx surveyctl support-bundle bundle.json --logs -`;

export const supportBundle = localCommand('support-bundle', {
  about: 'write one file with what a support engineer needs',
  help: HELP,
  inputs: {
    file: argument('<file>', 'new file'),
    nats: optional('--nats <url>', 'URL of the bus; else NATS_URL, else .local/stack.json'),
    metrics: withDefault(
      '--metrics <host:port...>',
      'probe ports of services; every address of a host name is read',
      addressesOf('METRICS_ADDRESSES'),
    ),
    logs: optional('--logs <file>', 'log lines of services; -: standard input'),
    trace: optional('--trace <id>', 'trace_id of the log lines to keep; else the last 2000 lines'),
  },
  run: async ({ file, ...sources }, command) => {
    const bundle = JSON.stringify(await collect(sources, command.optsWithGlobals<ConnectionOptions>()), undefined, 2);
    await writeNewFile(file, `${bundle}\n`);
    return { json: { file, bytes: bundle.length }, text: () => `${file} written` };
  },
});

interface Sources {
  readonly nats: string | undefined;
  readonly metrics: readonly string[];
  readonly logs: string | undefined;
  readonly trace: string | undefined;
}

async function collect({ nats, metrics, logs, trace }: Sources, connection: ConnectionOptions): Promise<object> {
  const { readDoctorOptions } = await import('../doctor/options.ts');
  const doctorOptions = await readDoctorOptions(connection, nats);
  const { databaseUrl, localStack } = doctorOptions;
  const probes = metrics.length > 0 ? metrics : Object.values(localStack?.services ?? {}).map(({ probe }) => probe);
  const logFile = logs ?? localStack?.log_file;
  const { runChecks } = await import('../doctor/checks.ts');
  const { readStatistics } = await import('@survey/postgres/database-statistics.ts');
  const unread = (error: unknown): object => ({ error: error instanceof Error ? error.name : 'failed' });
  return {
    created_at: new Date().toISOString(),
    versions: { node: process.version, survey: manifest.version },
    settings: redactSettings(process.env),
    findings: await runChecks(doctorOptions),
    // Bounded: probes that an operator names.
    metrics: Object.assign({}, ...(await Promise.all(probes.map(readMetrics)))) as object,
    database: databaseUrl === undefined ? {} : await readStatistics(databaseUrl).catch(unread),
    logs:
      logFile === undefined
        ? []
        : selectLogLines(await (logFile === '-' ? text(process.stdin) : readFile(logFile, 'utf8').catch(unreadable)), trace),
  };
}

// The chart sets the variable in the toolbox.
function addressesOf(variable: string): string[] {
  return (process.env[variable] ?? '').split(',').filter((address) => address !== '');
}

function unreadable(cause: unknown): never {
  throw new CommandError(`cannot read the log lines: ${causeOf(cause)}`, EXIT.usage, { cause });
}

const MAX_LINES = 2_000;
const WORD = /^[\w:.-]{1,100}$/;

/**
 * Returns the last log lines, with the listed fields only, and only of one trace if it is given. Of
 * an error, it keeps type, code and stack frames: a message may repeat a value.
 */
function selectLogLines(text: string, trace?: string): object[] {
  const lines: Fields[] = text.split('\n').flatMap((line) => recordIn(line) ?? []);
  const linesOfTrace = trace === undefined ? lines : lines.filter(({ trace_id }) => trace_id === trace);
  return linesOfTrace.slice(-MAX_LINES).map(withListedFields);
}

type Fields = Readonly<Record<string, unknown>>;

// Other processes may write to the same output; kubectl may put the name of the pod before a line.
function recordIn(line: string): [Fields] | undefined {
  try {
    const parsed: unknown = JSON.parse(line.slice(line.indexOf('{')));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? [parsed as Fields] : undefined;
  } catch {
    return undefined;
  }
}

function withListedFields(line: Fields): object {
  const listedFields = Object.entries(line).filter(([name]) => name !== 'err' && Object.hasOwn(LOG_FIELDS, name));
  return Object.fromEntries([...listedFields, ...('err' in line ? [['err', withoutMessage(line['err'])] as const] : [])]);
}

function withoutMessage(error: unknown): object {
  if (typeof error !== 'object' || error === null) return {};
  const { type, code, stack } = error as Fields;
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
  return { type: wordOf(type), code: wordOf(code), stack: frames.map((frame) => frame.trim()) };
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && WORD.test(value) ? value : undefined;
}

const TIMEOUT_MS = 5_000;

/**
 * Reads the metrics of each instance behind a host:port. Never throws: the error is the text of the
 * instance.
 */
async function readMetrics(address: string): Promise<Record<string, string>> {
  try {
    const { host, port } = parseListen(address);
    const addresses = await lookup(host, { all: true });
    const instances = addresses.map(({ address: ip, family }) => `${family === 6 ? `[${ip}]` : ip}:${port}`);
    return Object.fromEntries(await Promise.all(instances.map(async (one) => [one, await metricsAt(one)] as const)));
  } catch (error) {
    return { [address]: causeOf(error) };
  }
}

async function metricsAt(instance: string): Promise<string> {
  try {
    return await (await fetch(`http://${instance}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) })).text();
  } catch (error) {
    return error instanceof Error ? error.name : 'failed';
  }
}

// Variables whose values are neither secrets nor personal data.
const HARMLESS =
  /^(LOG_LEVEL|NODE_ENV|NODE_OPTIONS|GRPC_TLS|STREAM_REPLICAS|DATABASE_CONNECTIONS|RATE_LIMIT|OTEL_TRACES_SAMPLER(_ARG)?|\w+_(ADDRESS|LISTEN|FILE|DIR|MS|SECONDS|MINUTES|HOURS|DAYS|MB|MIB))$/;
const OURS = /^(PG\w+|NATS_\w+|REDIS_\w+|DATABASE_\w+|SMTP_\w+|CONSOLE_\w+|OTEL_\w+)$/;

/**
 * Returns the settings of an environment. Of a URL, only protocol and host are shown; of any other
 * variable that is not known to be harmless, only that it is set.
 */
function redactSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const settings = Object.entries(environment).flatMap(([name, value = '']): [string, string][] => {
    if (HARMLESS.test(name)) return [[name, value]];
    if (!OURS.test(name)) return [];
    return [[name, name.endsWith('_URL') ? hostsOf(value) : 'set']];
  });
  return Object.fromEntries(settings.toSorted(([a], [b]) => a.localeCompare(b)));
}

// Several URLs may be separated by commas.
function hostsOf(urls: string): string {
  return urls
    .split(',')
    .map((text) => URL.parse(text.trim()))
    .map((url) => (url === null ? 'not a URL' : `${url.protocol}//${url.host}`))
    .join(',');
}
