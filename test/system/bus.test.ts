import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { openBus, connectTool } from '@survey/bus/connection.ts';
import { consume } from '@survey/bus/consume.ts';
import { provision } from '@survey/bus/provision.ts';
import { CONSUMERS } from '@survey/bus/streams.ts';
import { FactPublisher } from '@survey/bus/facts/publish-facts.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { toolOf } from '@survey/process/tool.ts';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { survey } from '../support/facts.ts';
import { testStores } from '../support/stores.ts';

const ACK_WAIT_MS = 1_000;
const MESSAGES = 3;

const stores = await testStores(inject('postgres').folder);
const nats = await stores.startNats(`bus-${randomUUID()}`, makeBusPasswords());
afterAll(() => nats.stop());
await provision({ natsUrl: nats.url });
const connection = await connectTool(nats.url, 'test');
afterAll(() => connection[Symbol.asyncDispose]());
const client = connection.bus;
const manager = await jetstreamManager(client);

it('delivers messages once when their handlers take longer than ack_wait', async () => {
  const { stream, durable_name: name } = CONSUMERS['export-survey'];
  await manager.consumers.update(stream, name, { ack_wait: ACK_WAIT_MS * 1e6 });
  const tool = toolOf('test');
  onTestFinished(() => tool.resources.disposeAsync());
  const deliveries: number[] = [];
  const released = Promise.withResolvers<void>();
  const handle = (_: Uint8Array, { sequence }: { sequence: number }): Promise<void> => {
    deliveries.push(sequence);
    return released.promise;
  };
  consume(openBus(nats.url, 'test', tool), { consumer: 'export-survey', concurrency: 2 * MESSAGES, handle }, tool);
  const publisher = new FactPublisher(client, { accountId: 1, source: 'slow' });
  for (let n = 0; n < MESSAGES; n += 1) {
    await publisher.add('survey', survey(n + 1));
    await publisher.flush();
  }
  await expect.poll(() => deliveries).toHaveLength(MESSAGES);
  const deliveredAt = performance.now();
  await expect.poll(() => performance.now() - deliveredAt).toBeGreaterThan(3 * ACK_WAIT_MS);
  released.resolve();
  const pending = async () => (await manager.consumers.info(stream, name)).num_ack_pending;
  await expect.poll(pending).toBe(0);
  expect(new Set(deliveries).size).toBe(MESSAGES);
  expect(deliveries).toHaveLength(MESSAGES);
});

it('publishes facts again under another message id when the stream was lost', async () => {
  await manager.streams.delete('INTAKE');
  const publisher = new FactPublisher(client, { accountId: 1, source: 'again' });
  await publisher.add('question', survey(1));
  const stored = publisher.flush();
  await provision({ natsUrl: nats.url });
  await stored;
  const message = await manager.streams.getMessage('INTAKE', { seq: 1 });
  expect(message?.header.get('ce-id')).toBe('again-1');
  expect(message?.header.get('Nats-Msg-Id')).toMatch(/^again-1-[2-5]$/);
});
