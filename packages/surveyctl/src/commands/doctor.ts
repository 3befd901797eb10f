import type { Command } from 'commander';
import { findNatsUrl } from '../address.ts';
import type { Finding } from '../doctor/checks.ts';
import { EXIT } from '../command-error.ts';
import type { ConnectionOptions } from '../find-account-admin.ts';
import { print, renderTable } from '../output.ts';

const HELP = `
Checks account-admin, certificates and the disk; the bus where --nats, NATS_URL or .local/stack.json names it; PostgreSQL where DATABASE_URL is the URL of
the schema's owner. A runbook is a file of docs/runbooks.
Exit code: 0 nothing failed, 1 something failed.

Examples:
  $ npx surveyctl doctor
  $ DATABASE_URL=postgres://survey@localhost/survey npx surveyctl doctor --json`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check what the service depends on, and name the runbook for what is wrong')
    .option('--nats <url>', 'URL of the bus; else NATS_URL, else .local/stack.json')
    .addHelpText('after', HELP)
    .action(async ({ nats }: { nats?: string }, command: Command) => {
      const folder = process.cwd();
      const { NODE_EXTRA_CA_CERTS, DATABASE_URL, NATS_URL } = process.env;
      // Loaded on demand: the bus and PostgreSQL take a moment.
      const { runChecks } = await import('../doctor/checks.ts');
      const { findAccountAdmin } = await import('../find-account-admin.ts');
      const { address, tls } = await findAccountAdmin(command.optsWithGlobals<ConnectionOptions>());
      const findings = await runChecks({
        accountAdmin: address,
        tls,
        natsUrl: await findNatsUrl({ option: nats, environment: NATS_URL, folder }).catch(() => undefined),
        databaseUrl: given(DATABASE_URL),
        certificateFiles: tls === undefined ? [] : [tls.certFile, tls.caFile],
        authoritiesFile: given(NODE_EXTRA_CA_CERTS),
      });
      print(command, { findings }, () => renderTable(['STATUS', 'CHECK', 'DETAIL', 'RUNBOOK'], findings.map(rowOf)));
      if (findings.some(({ status }) => status === 'failed')) process.exitCode = EXIT.failed;
    });
}

function rowOf({ status, check, detail, runbook = '' }: Finding): string[] {
  return [status, check, detail, runbook];
}

function given(variable: string | undefined): string | undefined {
  return variable === '' ? undefined : variable;
}
