import type { Command } from 'commander';
import { readEnvironment } from '@survey/process/environment.ts';
import { grpcTlsOf, grpcTlsSettings } from '@survey/process/grpc-tls.ts';
import { findAddress, findNatsUrl } from '../address.ts';
import type { Finding } from '../doctor/checks.ts';
import { EXIT } from '../command-error.ts';
import { print, renderTable } from '../output.ts';

const HELP = `
Checks account-admin, certificates and the disk; the bus where --nats, NATS_URL or .local/stack.json names it; PostgreSQL where DATABASE_URL is the URL of
the schema's owner; Redis where REDIS_URL names it; other services where EXPORT_ADDRESS and the like name them. A runbook is a file of docs/runbooks.
Exit code: 0 nothing failed, 1 something failed.

Examples:
  $ npx surveyctl doctor
  $ DATABASE_URL=postgres://survey@localhost/survey npx surveyctl doctor --json`;

const SERVICES = ['account-admin', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis'];

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check what the service depends on, and name the runbook for what is wrong')
    .option('--nats <url>', 'URL of the bus; else NATS_URL, else .local/stack.json')
    .addHelpText('after', HELP)
    .action(async ({ nats }: { nats?: string }, command: Command) => {
      const { address } = command.optsWithGlobals<{ address?: string }>();
      const folder = process.cwd();
      const { GRPC_CERT_FILE, GRPC_CA_FILE, NODE_EXTRA_CA_CERTS, DATABASE_URL, NATS_URL, REDIS_URL } = process.env;
      const services = new Map(SERVICES.flatMap(addressOf));
      if (address !== undefined || services.size === 0)
        services.set('account-admin', await findAddress({ option: address, environment: undefined, folder }));
      // Loaded on demand: the bus and PostgreSQL take a moment.
      const { runChecks } = await import('../doctor/checks.ts');
      const findings = await runChecks({
        services,
        tls: grpcTlsOf('ops-tools', readEnvironment(grpcTlsSettings, process.env)),
        natsUrl: await findNatsUrl({ option: nats, environment: NATS_URL, folder }).catch(() => undefined),
        databaseUrl: given(DATABASE_URL),
        redisUrl: given(REDIS_URL),
        certificateFiles: [GRPC_CERT_FILE, GRPC_CA_FILE].flatMap((file) => given(file) ?? []),
        authoritiesFile: given(NODE_EXTRA_CA_CERTS),
      });
      print(command, { findings }, () => renderTable(['STATUS', 'CHECK', 'DETAIL', 'RUNBOOK'], findings.map(rowOf)));
      if (findings.some(({ status }) => status === 'failed')) process.exitCode = EXIT.failed;
    });
}

// From EXPORT_ADDRESS and the like.
function addressOf(service: string): [string, string][] {
  const address = given(process.env[`${service.toUpperCase().replaceAll('-', '_')}_ADDRESS`]);
  return address === undefined ? [] : [[service, address]];
}

function rowOf({ status, check, detail, runbook = '' }: Finding): string[] {
  return [status, check, detail, runbook];
}

function given(variable: string | undefined): string | undefined {
  return variable === '' ? undefined : variable;
}
