import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startLocalStack } from '@survey/local/start-stack.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import { Client } from 'pg';
import { fuzz } from '../../test/failure/fuzz-run.ts';
import { runGoalTests } from './goal-tests.ts';
import { none, tellGoals, type Goal } from './goals.ts';
import { WALLS } from './security-goals.ts';

const HELP = `Sends malformed queries and bodies to the gateway and prints what went wrong. A failure names its seed and index.

  npm run test:fuzz -- [CASES [SEED …]] [--security] [--json FILE]     10000 of each seed, and ten seeds by chance, unless told

  --security   also runs the security tests, and prints a row for each
  --json FILE  writes the rows there, too
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, security: { type: 'boolean' }, json: { type: 'string' } },
  });
  if (values.help === true) return console.log(HELP);
  const [cases = '10000', ...given] = positionals;
  const seeds = given.length > 0 ? given.map(Number) : Array.from({ length: 10 }, () => Math.floor(Math.random() * 1_000_000));
  process.env['RATE_LIMIT'] = '1000000';
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-fuzz-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const stores = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'error' };
  // A service that exits, for example after an unhandled rejection, ends the run.
  const { stack, failed } = await startLocalStack({ folder, demo: false, given: stores, started });
  const { account_id, write_key } = await createDemoAccount(stack.account_admin_address);
  const target = { address: new URL(stack.gateway_url).host, writeKey: write_key };
  const faults: string[] = [];
  const accepted: string[] = [];
  const statuses = new Map<number, number>();
  for (const seed of seeds) {
    const outcome = await Promise.race([fuzz(target, seed, Number(cases)), failed]);
    faults.push(...outcome.faults);
    accepted.push(...outcome.accepted);
    for (const [status, count] of outcome.statuses) statuses.set(status, (statuses.get(status) ?? 0) + count);
    console.log(`seed ${seed}: ${cases} cases, ${outcome.faults.length} faults`);
  }
  for (const fault of faults) console.log(fault);
  console.table(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)));
  const sent = `of ${[...statuses.values()].reduce((sum, count) => sum + count, 0)}, seeds ${seeds.join(' ')}`;
  const goals: Goal[] = [
    none('malformed queries and bodies: responses with 500', faults.length, sent),
    none('rejected requests that left data', await countLeftovers(stack.database_url, account_id, accepted)),
  ];
  if (values.security === true) goals.push(...(await runGoalTests(WALLS)));
  await tellGoals(goals, values.json);
}

async function countLeftovers(databaseUrl: string, accountId: number, accepted: readonly string[]): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rowCount } = await client.query(
    `select import_uuid from imports.import where account_id = $1 and import_uuid <> all ($2)
     union select import_uuid from imports.payload where account_id = $1 and import_uuid <> all ($2)`,
    [accountId, accepted],
  );
  await client.end();
  return rowCount ?? 0;
}

await main();
