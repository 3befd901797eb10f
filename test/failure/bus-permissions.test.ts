import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { EVENTS } from '@survey/bus/events.ts';
import { BUS_USERS, type BusPermissions, type BusUser } from '@survey/bus/permissions.ts';
import { provision } from '@survey/bus/provision.ts';
import { CONSUMERS, STREAMS } from '@survey/bus/streams.ts';
import { startNats } from '@survey/local/nats.ts';
import { makeBusPasswords } from '@survey/local/secrets.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

// S7 on the real server: what a user of the bus is not given, it cannot do.
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const folder = await mkdtemp(join(tmpdir(), 'survey-bus-'));
resources.defer(() => rm(folder, { recursive: true, force: true }));
const passwords = makeBusPasswords();
const nats = await startNats({ storeDir: join(folder, 'nats'), port: 0, passwords, log: () => {} });
resources.defer(() => nats.stop());
const urlOf = (user: BusUser, password = passwords[user]): string => nats.url.replace('://', `://${user}:${password}@`);
await provision({ natsUrl: urlOf('prepare') });

const users: [BusUser, BusPermissions][] = Object.entries(BUS_USERS).map(([name, permissions]) => [name as BusUser, permissions]);

interface Asker {
  readonly bus: NatsConnection;
  // How often the server has refused something so far.
  refusals: number;
}

async function connectAs(user: BusUser): Promise<Asker> {
  const bus = await connect({ ...readBusUrl(urlOf(user)), timeout: 5_000, maxReconnectAttempts: 0 });
  resources.defer(() => bus.close());
  const asker: Asker = { bus, refusals: 0 };
  void (async () => {
    for await (const { type } of bus.status()) if (type === 'error') asker.refusals += 1;
  })();
  return asker;
}

/** Whether the server lets somebody do this. It says that it does not before it answers the next ping. */
async function isAllowed(asker: Asker, act: (bus: NatsConnection) => void): Promise<boolean> {
  const before = asker.refusals;
  act(asker.bus);
  await asker.bus.flush();
  await setImmediate();
  return asker.refusals === before;
}

// The message is a wrong one for every subject, and would be answered with an error.
function mayPublish(asker: Asker, subject: string): Promise<boolean> {
  return isAllowed(asker, (bus) => bus.publish(subject, 'x'));
}

function maySubscribe(asker: Asker, subject: string): Promise<boolean> {
  return isAllowed(asker, (bus) => void bus.subscribe(subject, { callback: () => {} }));
}

const matches = (pattern: string, subject: string): boolean => {
  const [wanted, given] = [pattern.split('.'), subject.split('.')];
  return (
    wanted.every((token, at) => token === '>' || (given[at] !== undefined && (token === '*' || token === given[at]))) &&
    (wanted.at(-1) === '>' ? given.length >= wanted.length : given.length === wanted.length)
  );
};
const allows = (patterns: readonly string[], subject: string): boolean => patterns.some((pattern) => matches(pattern, subject));

const consumers = Object.values(CONSUMERS);
// Everything that somebody may do somewhere, and what nobody but `prepare` may.
const PUBLISHED = [
  'jobs.import',
  'jobs.mask',
  'jobs.categorise',
  'jobs.sentiment',
  'intake.response.1',
  'intake.employee.1',
  'progress.import.1',
  'events.key.revoked',
  'events.settings.changed',
  'events.import.applied',
  'events.employee.created',
  'events.text.masked',
  'events.topic.created',
  ...consumers.map(({ stream, durable_name: name }) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`),
  ...consumers.map(({ stream, durable_name: name }) => `$JS.ACK.${stream}.${name}.1.1.1.1.1`),
  ...STREAMS.flatMap(({ name }) => [
    `$JS.API.STREAM.MSG.GET.${name}`,
    `$JS.API.STREAM.MSG.DELETE.${name}`,
    `$JS.API.CONSUMER.CREATE.${name}.spy`,
    `$JS.API.CONSUMER.DELETE.${name}.spy`,
  ]),
  '$JS.API.STREAM.CREATE.SPY',
  '$JS.API.ACCOUNT.PURGE.X',
  '$SYS.REQ.SERVER.PING',
  'anything',
];
const SUBSCRIBED = [
  '>',
  'jobs.>',
  'jobs.import',
  'intake.>',
  'events.>',
  'events.key.revoked',
  'events.settings.changed',
  '$JS.>',
  '$SYS.>',
  '_INBOX.>',
];

describe.each(users)('%s [S7]', (user, { publish, subscribe }) => {
  it('publishes where its row of the table says, and nowhere else', { timeout: 120_000 }, async () => {
    const seen = [];
    const asker = await connectAs(user);
    // `prepare` may purge and delete: it is not asked to.
    const asked = PUBLISHED.filter((subject) => user !== 'prepare' || !subject.startsWith('$JS.API.'));
    for (const subject of asked) seen.push([subject, await mayPublish(asker, subject)]);
    expect(seen.filter(([subject, may]) => may !== allows(publish, String(subject)))).toEqual([]);
  });

  it('listens to what its row says and to its own inbox, and to no other', { timeout: 120_000 }, async () => {
    const seen = [];
    const asker = await connectAs(user);
    const inboxes = users.map(([other]) => `_INBOX.${other}.>`);
    for (const subject of [...SUBSCRIBED, ...inboxes]) seen.push([subject, await maySubscribe(asker, subject)]);
    const own = [...subscribe, `_INBOX.${user}.>`];
    // Whoever may listen to some of a pattern's subjects is still refused the whole of it.
    expect(seen).toEqual(
      [...SUBSCRIBED, ...inboxes].map((subject) => [
        subject,
        own.includes(subject) || own.some((pattern) => !subject.includes('>') && matches(pattern, subject)),
      ]),
    );
  });
});

it('nobody logs in with a wrong password, or with another’s [S7]', async () => {
  for (const password of ['', 'wrong', passwords.prepare])
    await expect(connect({ ...readBusUrl(urlOf('gateway', password)), timeout: 2_000, reconnect: false })).rejects.toThrow(/./);
});

it('a service can make no stream and no consumer, and read none past its own consumer [S7]', async () => {
  const { bus } = await connectAs('import-reconciler');
  const manager = await jetstreamManager(bus, { checkAPI: false, timeout: 500 });
  await expect(manager.streams.add({ name: 'SPY', subjects: ['spy'] })).rejects.toThrow(/./);
  await expect(manager.streams.purge('INTAKE')).rejects.toThrow(/./);
  await expect(manager.streams.delete('JOBS')).rejects.toThrow(/./);
  await expect(manager.consumers.add('INTAKE', { durable_name: 'spy' })).rejects.toThrow(/./);
  await expect(jetstream(bus, { timeout: 500 }).publish('intake.response.1', 'x')).rejects.toThrow(/./);
  // What it does need, it has.
  expect(await jetstream(bus).publish('jobs.import', 'x')).toMatchObject({ stream: 'JOBS' });
  const consumer = await jetstream(bus).consumers.get('JOBS', 'import-reconciler');
  const message = await consumer.next({ expires: 2_000 });
  expect(message?.subject).toBe('jobs.import');
  expect(await message?.ackAck()).toBe(true);
});

it('each event has exactly one service that may publish it', () => {
  for (const event of Object.keys(EVENTS))
    expect([event, users.filter(([, { publish }]) => allows(publish, event)).length]).toEqual([event, 1]);
});

it('the charts give the users the same', async () => {
  const text = await readFile(new URL('../../charts/survey-lib/templates/_components.tpl', import.meta.url), 'utf8');
  const block = (
    name: string,
  ): Record<string, { publishes: string[]; subscribes: string[]; consumers?: { stream: string; name: string }[] }> =>
    parse(new RegExp(`define "survey-lib.${name}" -}}\n(.*?){{- end`, 's').exec(text)?.[1] ?? '');
  const charted = { ...block('components'), ...block('busUsers') };
  expect(Object.keys(charted).toSorted()).toEqual(Object.keys(BUS_USERS).toSorted());
  for (const [user, { publish, subscribe }] of users) {
    const { publishes = [], subscribes, consumers: read = [] } = charted[user] ?? {};
    const reading = read.flatMap(({ stream, name }) => [
      `$JS.API.CONSUMER.INFO.${stream}.${name}`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
      `$JS.ACK.${stream}.${name}.>`,
    ]);
    expect([user, [...publishes, ...reading].toSorted(), subscribes]).toEqual([user, publish.toSorted(), subscribe]);
  }
});
