import { join, relative } from 'node:path';
import type { Stack } from './stack-file.ts';

/** Returns first steps for operators who see this service for the first time. */
export function welcome(stack: Stack, folder: string): string {
  const lines = [`The service runs: ${stack.gateway_url}`, `API reference:    ${stack.gateway_url}/docs`];
  if (stack.console_url !== undefined)
    lines.push(`Web console:      ${stack.console_url} (sign in as demo admin, without a password)`);
  lines.push(`Metrics:          ${stack.metrics_url}`);
  lines.push(...(stack.demo ? tryIt(stack.gateway_url, stack.demo, folder) : createAccount(stack.gateway_url)));
  lines.push(
    `  e-mail to administrators   files in ${seen(stack.mail_dir)}`,
    'Ctrl-C stops everything; npm start -- --help lists the options.',
    ...stack.not_running.map(({ name, reason }) => `Does not run:     ${name}, because ${reason}`),
  );
  return `\n${lines.join('\n')}\n`;
}

function tryIt(gatewayUrl: string, demo: NonNullable<Stack['demo']>, folder: string): string[] {
  return [
    `  read key                   ${demo.read_key}`,
    `  employees:write key        ${demo.write_key}`,
    '',
    'Read two employees:',
    `  curl -H 'X-Api-Key: ${demo.read_key}' '${gatewayUrl}/v1/employees?limit=2'`,
    '',
    'Import the demo employees and a new one (an employee that an import omits is offboarded):',
    `  curl -H 'X-Api-Key: ${demo.write_key}' -H 'Content-Type: application/json' \\`,
    `    --data-binary @${seen(join(folder, 'snapshot.json'))} ${gatewayUrl}/v1/employees/imports`,
    '',
    'See the outcome:',
    `  npx surveyctl import list --account ${demo.account_id}`,
    '',
  ];
}

function createAccount(gatewayUrl: string): string[] {
  return [
    '',
    'Create an account with keys; it prints calls to try:',
    `  npx surveyctl account create --name "ACME GmbH" --with-keys --connect --url ${gatewayUrl}`,
    '',
  ];
}

// Relative to the folder in which npm start was run.
function seen(path: string): string {
  return relative(process.cwd(), path);
}
