import { localCommand, optional } from '../command.ts';
import { EXIT } from '../command-error.ts';
import type { Finding } from '../doctor/finding.ts';
import type { ConnectionOptions } from '../find-account-admin.ts';
import { renderTable } from '../output.ts';

const HELP = `
Checks account-admin, certificates and the disk; of a stack of \`npm start\`, everything that .local/stack.json names.
Elsewhere: the bus where --nats or NATS_URL names it, and whether it keeps what it acknowledges where NATS_MONITORING_URL
names its monitoring endpoint, such as http://nats:8222; PostgreSQL where DATABASE_URL is the URL of the schema's owner;
a PgBouncer where DATABASE_POOLER_URL is its URL for the role of a service; Redis where REDIS_URL names it;
other services where EXPORT_ADDRESS and the like name them; the mail server where SMTP_URL names it;
and whether anybody scrapes the services where PROMETHEUS_URL names Prometheus
(of one release: PROMETHEUS_SELECTOR=namespace="survey",release="survey"). A runbook is a file of docs/runbooks.
Exit code: 0 nothing failed, 1 something failed.

Examples:
  $ npx surveyctl doctor
  $ DATABASE_URL=postgres://survey@localhost/survey npx surveyctl doctor --json`;

export const doctor = localCommand('doctor', {
  about: 'check the dependencies of the service and name the runbook for each failure',
  help: HELP,
  inputs: { nats: optional('--nats <url>', 'URL of NATS (default: NATS_URL, else .local/stack.json)') },
  run: async ({ nats }, command) => {
    // Loaded on demand: the bus and PostgreSQL take a moment.
    const [{ runChecks }, { readDoctorOptions }] = await Promise.all([
      import('../doctor/checks.ts'),
      import('../doctor/options.ts'),
    ]);
    const findings = await runChecks(await readDoctorOptions(command.optsWithGlobals<ConnectionOptions>(), nats));
    if (findings.some(({ status }) => status === 'failed')) process.exitCode = EXIT.failed;
    return { json: { findings }, text: () => renderTable(['STATUS', 'CHECK', 'DETAIL', 'RUNBOOK'], findings.map(rowOf)) };
  },
});

function rowOf({ status, check, detail, runbook = '' }: Finding): string[] {
  return [status, check, detail, runbook];
}
