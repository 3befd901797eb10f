import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { SurveyClient } from '@survey/client';
import { parse } from 'csv-parse';

const USAGE = `Imports the employees of a CSV file, unless a dry run says that the import would be cancelled.

  SURVEY_URL=https://survey.example.com SURVEY_WRITE_KEY=… node nightly-import.mjs --account ID employees.csv

The first line of the file names the columns: import_id, email, firstname, lastname, reports_to_id, role or
language, and any other column is an attribute. surveyctl must reach account-admin.
Exit codes: 0 applied, 1 rejected, 2 wrong usage, 3 cancelled, 4 failed.`;

const FIELDS = ['import_id', 'email', 'firstname', 'lastname', 'reports_to_id', 'role', 'language'];

const { values, positionals } = parseArgs({ options: { account: { type: 'string' } }, allowPositionals: true });
const [file] = positionals;
if (values.account === undefined || file === undefined) {
  console.error(USAGE);
  process.exit(2);
}

const employees = [];
for await (const row of createReadStream(file).pipe(parse({ columns: true, bom: true, trim: true })))
  employees.push(recordOf(row));
// An export that broke off would offboard everyone; the deletion threshold is the second safeguard.
if (employees.length === 0) {
  console.error(`${file} has no employees`);
  process.exit(1);
}
const snapshot = `${file}.snapshot.json`;
await writeFile(snapshot, JSON.stringify({ employees }), { mode: 0o600 });

surveyctl('dry-run', snapshot);
const client = new SurveyClient({ baseUrl: process.env.SURVEY_URL, apiKey: process.env.SURVEY_WRITE_KEY });
const { import_uuid } = await client.importEmployees(employees);
surveyctl('watch', import_uuid);

// An empty cell clears the value; an absent column leaves it unchanged.
function recordOf(row) {
  const cells = Object.entries(row).map(([name, text]) => [name, text === '' ? null : text]);
  const attributes = cells.filter(([name]) => !FIELDS.includes(name));
  return {
    ...Object.fromEntries(cells.filter(([name]) => FIELDS.includes(name))),
    attributes: attributes.map(([name, value]) => ({ name, value: value && { name: value } })),
  };
}

function surveyctl(command, argument) {
  const { status, error } = spawnSync('surveyctl', ['import', command, argument, '--account', values.account], {
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status);
}
