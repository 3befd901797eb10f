import { execFile, spawn } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';
import type { Demo } from '@survey/local/stack-file.ts';
import { importAndWait } from './post-snapshot.ts';
import type { BenchStack } from './bench-stack.ts';

export const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const run = promisify(execFile);

/** Runs surveyctl. */
export function surveyctl({ stack }: BenchStack, ...args: string[]) {
  const env = { ...process.env, ACCOUNT_ADMIN_ADDRESS: stack.account_admin_address, NATS_URL: stack.nats_url };
  return run(process.execPath, [SURVEYCTL, ...args], { env, maxBuffer: 2 ** 30 });
}

interface OrganisationFiles {
  // Gzip file of the employee snapshot.
  readonly snapshot: string;
  // NDJSON file of the facts of the survey application.
  readonly dataset: string;
}

/** Creates an account with a generated organisation, by an import and a dataset of facts. */
export async function openOrganisation(
  bench: BenchStack,
  { employees, months }: { employees: number; months: number },
): Promise<Demo & OrganisationFiles> {
  const account = await bench.account();
  const [dataset, plain] = [join(bench.folder, 'organisation.ndjson'), join(bench.folder, 'workforce.json')];
  const size = ['--employees', String(employees), '--months', String(months)];
  const made = spawn(process.execPath, [SURVEYCTL, 'dataset', 'generate', ...size, '--snapshot', plain], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await pipeline(made.stdout, createWriteStream(dataset));
  const snapshot = `${plain}.gz`;
  await pipeline(createReadStream(plain), createGzip(), createWriteStream(snapshot));
  await importAndWait(bench, account.write_key, snapshot);
  await surveyctl(bench, 'dataset', 'load', dataset, '--account', String(account.account_id));
  return { ...account, snapshot, dataset };
}
