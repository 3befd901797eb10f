import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { readConsumerProgress } from '@survey/bus/facts/consumer-progress.ts';
import { connectTool } from '@survey/bus/connection.ts';
import type { WholeStack } from '../../../test/failure/whole-stack.ts';
import type { HostileConsole } from './console.ts';
import type { Target } from './shape.ts';

const GIVE_UP_MS = 180_000;
const POLL_MS = 50;

/** Creates an account that may use everything, as the target of an attack. */
export async function targetAt({ gatewayUrl, operator, nats, db }: WholeStack, webConsole: HostileConsole): Promise<Target> {
  const account = await operator.createAccount({ threshold: '100' });
  const { accountId, readKey, writeKey } = account;
  const call = { caller: { requestId: 'test' }, deadlineMs: GIVE_UP_MS };
  await operator.admin.setSettings(
    { account_id: accountId, masking_entitled: true, masking: true, categorisation: true, masking_categories: null },
    call,
  );
  await operator.admin.setIssuers({ account_id: accountId, issuers: [webConsole.issuer] }, call);
  return {
    account,
    import: async ({ body, isGzip }) => {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': writeKey,
        ...(isGzip && { 'content-encoding': 'gzip' }),
      };
      const url = `${gatewayUrl}/v1/employees/imports`;
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      const { import_uuid }: { import_uuid?: string } = JSON.parse(await response.text());
      if (import_uuid === undefined) return String(response.status);
      return until(async () => {
        const { rows } = await db.query<{ state: string }>('select state from imports.import where import_uuid = $1', [
          import_uuid,
        ]);
        const state = rows[0]?.state;
        return state === 'accepted' ? undefined : state;
      });
    },
    publish: async (kind, facts) => {
      await using connection = await connectTool(nats.url, 'faults');
      const publisher = new FactPublisher(connection.bus, { accountId, source: randomUUID() });
      for (const fact of facts) await publisher.add(kind, fact);
      await publisher.flush();
      const { published } = publisher;
      await until(async () => (await readConsumerProgress(connection.bus, published)).every(({ remaining }) => remaining === 0));
    },
    browse: () => webConsole.signIn(),
    get: async (path) => {
      const response = await fetch(`${gatewayUrl}${path}`, {
        headers: { 'x-api-key': readKey },
        signal: AbortSignal.timeout(GIVE_UP_MS),
      });
      await response.arrayBuffer();
      return String(response.status);
    },
    textsProcessed: async () => {
      const count = async (table: string): Promise<number> => {
        const { rows } = await db.query<{ count: number }>(
          `select count(*)::integer as count from text.${table} where account_id = $1`,
          [accountId],
        );
        return rows[0]?.count ?? 0;
      };
      await until(async () => (await count('pending')) === 0);
      return `${await count('masked_text')} texts masked, ${await count('given_up')} given up`;
    },
  };
}

async function until<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not finished after ${GIVE_UP_MS / 1_000} s`);
    await sleep(POLL_MS);
  }
}
