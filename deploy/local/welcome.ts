import { join, relative } from 'node:path';
import type { Stack } from './stack-file.ts';

/** Returns first steps for operators who see this service for the first time. */
export function welcome(stack: Stack, folder: string): string {
  const lines = [`The service runs: ${stack.gateway_url}`];
  if (stack.console_url !== undefined)
    lines.push(`Web console:      ${stack.console_url} (sign in as demo admin or demo operator, without a password)`);
  if (stack.demo) lines.push(...tryIt(stack.gateway_url, stack.demo, folder));
  lines.push(
    `  e-mail to administrators   files in ${seen(stack.mail_dir)}`,
    'Ctrl-C stops everything; npm start -- --help tells more.',
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
    'Import the whole workforce again, with one person more (who is left out of an import is offboarded):',
    `  curl -H 'X-Api-Key: ${demo.write_key}' -H 'Content-Type: application/json' \\`,
    `    --data-binary @${seen(join(folder, 'snapshot.json'))} ${gatewayUrl}/v1/employees/imports`,
    '',
    'See what became of it:',
    `  npx surveyctl import list --account ${demo.account_id}`,
    '',
  ];
}

// Relative to the folder in which npm start was run.
function seen(path: string): string {
  return relative(process.cwd(), path);
}
