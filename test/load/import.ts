import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bringUp } from '@survey/local/bring-up.ts';
import { createDemoAccount } from '@survey/local/demo-account.ts';
import { openDatabase, type Pool } from '@survey/postgres/database.ts';
import { toolOf } from '@survey/process/tool.ts';
import { measureCopyFloor } from './floor-copy.ts';
import { peakMebibytes, resetPeak, servicePids } from './process-memory.ts';
import { writeSnapshot } from './snapshot-file.ts';

const HELP = `Measures POST /v1/employees/imports, from the first byte to applied, beside the floor of copying the same bytes.

  node test/load/import.ts [SIZE …]      sizes of the workforce, 10000 and 100000 by default
`;

interface Row {
  employees: number;
  step: string;
  ms: number;
  floorMs: number;
  ratio: number;
  gatewayMiB: number;
  reconcilerMiB: number;
}

interface Bench {
  pool: Pool;
  folder: string;
  gatewayUrl: string;
  accountAdminAddress: string;
}

/** One account of the given size: a first import, the same again, and the same with 1 % changed, each beside its own floor. */
async function measure(bench: Bench, employees: number): Promise<Row[]> {
  const account = await createDemoAccount(bench.accountAdminAddress);
  const [plain, changed] = [join(bench.folder, `${employees}.gz`), join(bench.folder, `${employees}-changed.gz`)];
  await writeSnapshot(plain, employees);
  await writeSnapshot(changed, employees, 100);
  const rows: Row[] = [];
  for (const [step, file] of [
    ['first', plain],
    ['unchanged', plain],
    ['1 % changed', changed],
  ] as const) {
    const floorMs = await measureCopyFloor(bench.pool, file);
    const pids = await servicePids();
    const [gateway, reconciler] = [pids.get('gateway') ?? 0, pids.get('import-reconciler') ?? 0];
    await Promise.all([resetPeak(gateway), resetPeak(reconciler)]);
    const ms = await importAndWait(bench, account.write_key, file);
    const [gatewayMiB, reconcilerMiB] = await Promise.all([peakMebibytes(gateway), peakMebibytes(reconciler)]);
    rows.push({ employees, step, ms, floorMs, ratio: ms / floorMs, gatewayMiB, reconcilerMiB });
  }
  return rows;
}

async function importAndWait({ pool, gatewayUrl }: Bench, writeKey: string, file: string): Promise<number> {
  const startedAt = performance.now();
  const importUuid = await post(`${gatewayUrl}/v1/employees/imports`, writeKey, file);
  for (;;) {
    const { rows } = await pool.query<{ state: string; cancel_reasons: string[] }>(
      'select state, cancel_reasons from imports.import where import_uuid = $1 and finished_at is not null',
      [importUuid],
    );
    if (rows[0]?.state === 'applied') return performance.now() - startedAt;
    if (rows[0] !== undefined) throw new Error(`the import is ${rows[0].state}: ${rows[0].cancel_reasons.join(', ')}`);
    await sleep(5);
  }
}

// node:http rather than fetch: it sends a file of known length without chunks, as customers' clients do.
async function post(url: string, key: string, file: string): Promise<string> {
  const { size } = await stat(file);
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': size };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        if (response.statusCode === 202) resolve((JSON.parse(text) as { import_uuid: string }).import_uuid);
        else reject(new Error(`${response.statusCode}: ${text}`));
      });
    });
    call.on('error', reject);
    createReadStream(file).pipe(call);
  });
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) return console.log(HELP);
  const sizes = args.length > 0 ? args.map(Number) : [10_000, 100_000];
  await using started = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'survey-load-'));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const given = { DATABASE_URL: undefined, NATS_URL: undefined, REDIS_URL: undefined, SMTP_URL: undefined, LOG_LEVEL: 'warn' };
  const { stack } = await bringUp({ folder, demo: false, given, started });
  const tool = toolOf('load');
  const pool = openDatabase({ url: stack.database_url, name: 'load', statementTimeoutMs: 600_000 }, tool);
  started.defer(() => tool.resources.disposeAsync());
  const bench = { pool, folder, gatewayUrl: stack.gateway_url, accountAdminAddress: stack.account_admin_address };
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await measure(bench, size)));
  console.table(
    rows.map((row) => ({
      ...row,
      ms: Math.round(row.ms),
      floorMs: Math.round(row.floorMs),
      ratio: Number(row.ratio.toFixed(2)),
    })),
  );
  console.log(JSON.stringify(rows));
}

await main();
