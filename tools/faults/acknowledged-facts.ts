import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { replayFacts } from '@survey/bus/position.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { survey } from '../../test/support/facts.ts';
import type { Customer } from '../../test/failure/customer.ts';
import type { FaultyStack } from '../../test/failure/faulty-stack.ts';

/** Publishes a fact of each account in turn, and records those that were acknowledged. */
interface AcknowledgedFacts extends AsyncDisposable {
  /** Stops publishing. Returns the number of acknowledged facts. */
  stop(): Promise<number>;
  /** Returns the number of acknowledged facts that no service has applied in time. */
  countMissing(): Promise<number>;
  /** Delivers all facts of the run again, as `surveyctl facts replay` does. */
  replay(): Promise<void>;
}

const BETWEEN_MS = 50;
const APPLIED_WITHIN_MS = 60_000;

export async function publishSteadily({ nats, db }: FaultyStack, customers: readonly Customer[]): Promise<AcknowledgedFacts> {
  const since = new Date().toISOString();
  const bus = await connect({ ...readBusUrl(nats.url), maxReconnectAttempts: -1, reconnectTimeWait: 200 });
  const accountIds = customers.map(({ account }) => account.accountId);
  const acknowledged = new Map(accountIds.map((id) => [id, [] as number[]]));
  const over = new AbortController();
  const publishing = (async () => {
    for (let id = 1; !over.signal.aborted; id += 1)
      for (const [accountId, ids] of acknowledged) {
        const publisher = new FactPublisher(bus, { accountId, source: randomUUID() });
        await publisher.add('survey', survey(id));
        await publisher.flush().then(
          () => ids.push(id),
          () => undefined,
        );
        await sleep(BETWEEN_MS);
      }
  })();
  const missing = async (): Promise<number> => {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from unnest($1::bigint[], $2::bigint[]) as fact (account_id, id)
       where not exists (select from export.survey s where s.account_id = fact.account_id and s.id = fact.id)`,
      [[...acknowledged].flatMap(([accountId, ids]) => ids.map(() => accountId)), [...acknowledged.values()].flat()],
    );
    return rows[0]?.count ?? 0;
  };
  return {
    stop: async () => {
      over.abort();
      await publishing;
      return [...acknowledged.values()].flat().length;
    },
    countMissing: async () => {
      const deadline = Date.now() + APPLIED_WITHIN_MS;
      while ((await missing()) > 0 && Date.now() < deadline) await sleep(100);
      return missing();
    },
    replay: () => replayFacts(bus, since).then(() => undefined),
    [Symbol.asyncDispose]: () => bus.close(),
  };
}
