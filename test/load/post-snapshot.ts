import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '@survey/postgres/database.ts';
import type { BenchStack } from './bench-stack.ts';

/**
 * Posts a gzip snapshot and returns the milliseconds until it is applied. @throws unless applied.
 */
export async function importAndWait(bench: BenchStack, writeKey: string, file: string): Promise<number> {
  return (await timeImport(bench, writeKey, file)).appliedMs;
}

/** As `importAndWait`, with the milliseconds until the snapshot is accepted. */
export async function timeImport(
  { pool, stack }: BenchStack,
  writeKey: string,
  file: string,
): Promise<{ acceptedMs: number; appliedMs: number }> {
  const startedAt = performance.now();
  const importUuid = await postSnapshot(`${stack.gateway_url}/v1/employees/imports`, writeKey, file);
  const acceptedMs = performance.now() - startedAt;
  await untilApplied(pool, importUuid);
  return { acceptedMs, appliedMs: performance.now() - startedAt };
}

async function untilApplied(pool: Pool, importUuid: string): Promise<void> {
  const { rows: of } = await pool.query<{ account_id: number }>('select account_id from imports.import where import_uuid = $1', [
    importUuid,
  ]);
  for (;;) {
    // With the account, a cluster asks only its node.
    const { rows } = await pool.query<{ state: string; reasons: unknown }>(
      'select state, reasons from imports.import where account_id = $1 and import_uuid = $2 and finished_at is not null',
      [of[0]?.account_id, importUuid],
    );
    if (rows[0]?.state === 'applied') return;
    if (rows[0] !== undefined)
      throw new Error(`cannot measure the import: it is ${rows[0].state}: ${JSON.stringify(rows[0].reasons)}`);
    await sleep(5);
  }
}

// Unlike fetch, node:http sends a file of known length without chunks, as customers' clients do.
export async function postSnapshot(url: string, key: string, file: string): Promise<string> {
  const { size } = await stat(file);
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip', 'content-length': size };
  const call = request(url, { method: 'POST', headers });
  createReadStream(file).pipe(call);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 202) throw new Error(`cannot import: status ${response.statusCode}: ${body}`);
  return (JSON.parse(body) as { import_uuid: string }).import_uuid;
}
