import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SurveyClient, ValidationError } from '@survey/client';
import { parse } from 'csv-parse/sync';

const USAGE = `Imports the employees of a CSV file.

  SURVEY_URL=https://survey.example.com SURVEY_WRITE_KEY=… node nightly-import.mjs employees.csv

The first line of the file names the columns: import_id, email, firstname, lastname, reports_to_id, role or
language; any other column is an attribute.

  --wait SECONDS   longest wait between attempts, also while another import of the account is running (60)

Exit codes: 0 accepted, 1 rejected or not delivered, 2 wrong usage.`;

const FIELDS = ['import_id', 'email', 'firstname', 'lastname', 'reports_to_id', 'role', 'language'];
const MAX_WAIT_MS = 3_600_000;

const { values, positionals } = parseArgs({ options: { wait: { type: 'string', default: '60' } }, allowPositionals: true });
const [file] = positionals;
const waitSeconds = Number(values.wait);
if (file === undefined || !(waitSeconds > 0)) {
  console.error(USAGE);
  process.exit(2);
}

try {
  const employees = parse(await readFile(file), { columns: true, bom: true, trim: true }).map(recordOf);
  const { import_uuid } = await importWhenIdle(employees);
  console.log(`accepted ${employees.length} employees as import ${import_uuid}`);
} catch (error) {
  console.error(error.message);
  if (error instanceof ValidationError) for (const { pointer, detail } of error.errors) console.error(`${pointer} ${detail}`);
  process.exitCode = 1;
}

// An account has one import at a time. All attempts carry the same key, so whichever of them the
// service has accepted, even if its response was lost, the employees are imported once.
function importWhenIdle(employees) {
  const client = new SurveyClient({
    baseUrl: process.env.SURVEY_URL ?? '',
    apiKey: process.env.SURVEY_WRITE_KEY ?? '',
    retries: { longestWaitMs: waitSeconds * 1000 },
    onRetry: ({ error, waitMs }) => console.error(`${error.message}: trying again in ${waitMs / 1000} s`),
  });
  return client.importEmployees(employees, { waitForRunning: true, signal: AbortSignal.timeout(MAX_WAIT_MS) });
}

// An empty cell clears the value; an absent column leaves it unchanged.
function recordOf(row) {
  const cells = Object.entries(row).map(([name, text]) => [name, text === '' ? null : text]);
  const attributes = cells.filter(([name]) => !FIELDS.includes(name));
  return {
    ...Object.fromEntries(cells.filter(([name]) => FIELDS.includes(name))),
    attributes: attributes.map(([name, value]) => ({ name, value: value && { name: value } })),
  };
}
