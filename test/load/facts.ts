import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { provision } from '@survey/bus/provision.ts';
import { startNats } from '@survey/local/nats.ts';
import { survey } from '../support/facts.ts';
import { millisecondsOf, percentileOf, type Figure } from '../support/figures.ts';
import { inFolder } from '../support/in-folder.ts';

interface PublishCosts {
  readonly p50: number;
  readonly p99: number;
  // Facts per second.
  readonly concurrent: number;
  readonly batched: number;
}

const PUBLISHERS = 8;

/**
 * Measures what it costs that an acknowledged fact is on the disk: publishing to a server that
 * syncs each message, beside one that syncs every two minutes, which is NATS's default and loses
 * facts.
 */
export async function measureFacts(_: AsyncDisposableStack, isSmoke: boolean): Promise<Figure[]> {
  const facts = isSmoke ? 200 : 5_000;
  // In turn, because other work on the machine changes both.
  const rounds: { synced: PublishCosts; byDefault: PublishCosts }[] = [];
  for (let round = 0; round < (isSmoke ? 1 : 3); round += 1)
    rounds.push({ synced: await publishTo('always', facts), byDefault: await publishTo('2m', facts) });
  const figure = (what: string, unit: 'ms' | 'facts/s', cost: keyof PublishCosts): Figure => ({
    what,
    unit,
    ours: rounds.map(({ synced }) => synced[cost]),
    beside: { what: 'sync every 2 min', values: rounds.map(({ byDefault }) => byDefault[cost]) },
  });
  return [
    figure('p50 of publishing one fact', 'ms', 'p50'),
    figure('p99 of publishing one fact', 'ms', 'p99'),
    figure(`single facts of ${PUBLISHERS} publishers`, 'facts/s', 'concurrent'),
    { ...figure('facts in messages of 1,000', 'facts/s', 'batched'), goal: { atLeast: 0.5 } },
  ];
}

function publishTo(syncInterval: string, facts: number): Promise<PublishCosts> {
  return inFolder(async (folder) => {
    const server = await startNats({ storeDir: join(folder, 'nats'), syncInterval, log: () => undefined });
    await provision({ natsUrl: server.url });
    const bus = await connect(readBusUrl(server.url));
    const publishOne = async (source: string, id: number): Promise<void> => {
      const publisher = new FactPublisher(bus, { accountId: 1, source: `${source}-${id}` });
      await publisher.add('survey', survey(id));
      await publisher.flush();
    };
    try {
      const durations: number[] = [];
      for (let id = 0; id < facts; id += 1) durations.push(await millisecondsOf(() => publishOne('one', id)));
      const concurrentMs = await millisecondsOf(() =>
        Promise.all(
          Array.from({ length: PUBLISHERS }, async (_, publisher) => {
            for (let id = 0; id < facts / PUBLISHERS; id += 1) await publishOne(`publisher-${publisher}`, id);
          }),
        ),
      );
      const batch = new FactPublisher(bus, { accountId: 1, source: 'batched' });
      const batchedMs = await millisecondsOf(async () => {
        for (let id = 0; id < facts * 10; id += 1) await batch.add('survey', survey(id));
        await batch.flush();
      });
      return {
        p50: percentileOf(durations, 50),
        p99: percentileOf(durations, 99),
        concurrent: (facts * 1_000) / concurrentMs,
        batched: (facts * 10_000) / batchedMs,
      };
    } finally {
      await bus.close();
      await server.stop();
    }
  });
}
