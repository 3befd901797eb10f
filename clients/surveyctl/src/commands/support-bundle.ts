import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import type { ConnectionOptions } from '../find-account-admin.ts';
import { print } from '../output.ts';
import { selectLogLines } from '../support/log-lines.ts';
import { readMetrics } from '../support/metrics.ts';
import { redactSettings } from '../support/settings.ts';

const HELP = `
Writes one JSON file: versions, settings without secrets, the findings of doctor, metrics, statistics and query plans of
PostgreSQL where DATABASE_URL is the URL of the schema's owner, and the log lines that are given. It contains no secrets, names or answers.
Of a stack of \`npm start\` it takes all of this from .local/stack.json.

Examples:
  $ npx surveyctl support-bundle bundle.json
  $ npx surveyctl support-bundle bundle.json --metrics 127.0.0.1:9090
  $ kubectl -n survey logs -l app.kubernetes.io/part-of=survey --tail=2000 | npx surveyctl support-bundle bundle.json --logs -`;

interface Options {
  readonly nats?: string;
  readonly metrics: readonly string[];
  readonly logs?: string;
  readonly trace?: string;
}

export function addSupportBundle(program: Command): void {
  program
    .command('support-bundle')
    .argument('<file>', 'new file')
    .description('write one file with what a support engineer needs')
    .option('--nats <url>', 'URL of the bus; else NATS_URL, else .local/stack.json')
    .option(
      '--metrics <host:port...>',
      'probe ports of services; every address of a host name is read',
      addressesOf('METRICS_ADDRESSES'),
    )
    .option('--logs <file>', 'log lines of services; -: standard input')
    .option('--trace <id>', 'trace_id of the log lines to keep; else the last 2000 lines')
    .addHelpText('after', HELP)
    .action(async (file: string, options: Options, command: Command) => {
      const bundle = JSON.stringify(await collect(options, command.optsWithGlobals<ConnectionOptions>()), undefined, 2);
      await writeFile(file, `${bundle}\n`, { mode: 0o600, flag: 'wx' });
      print(command, { file, bytes: bundle.length }, () => `${file} written`);
    });
}

async function collect({ nats, metrics, logs, trace }: Options, connection: ConnectionOptions): Promise<object> {
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
        : selectLogLines(await (logFile === '-' ? text(process.stdin) : readFile(logFile, 'utf8')), trace),
  };
}

// The chart sets the variable in the toolbox.
function addressesOf(variable: string): string[] {
  return (process.env[variable] ?? '').split(',').filter((address) => address !== '');
}
