import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
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

// On a real server, a NATS user has only the permissions of its service.
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const folder = await mkdtemp(join(tmpdir(), 'survey-bus-'));
resources.defer(() => rm(folder, { recursive: true, force: true }));
const passwords = makeBusPasswords();
const nats = await startNats({ storeDir: join(folder, 'nats'), passwords, log: () => {} });
resources.defer(() => nats.stop());
const urlOf = (user: BusUser, password = passwords[user]): string => nats.url.replace('://', `://${user}:${password}@`);
await provision({ natsUrl: urlOf('prepare'), eventConsumers: ['payroll'] });

const users: [BusUser, BusPermissions][] = Object.entries(BUS_USERS).map(([name, permissions]) => [name as BusUser, permissions]);

interface Asker {
  readonly bus: NatsConnection;
  // Number of permission violations that the server has logged.
  rejections: number;
}

async function connectAs(user: BusUser): Promise<Asker> {
  const bus = await connect({ ...readBusUrl(urlOf(user)), timeout: 5_000, maxReconnectAttempts: 0 });
  resources.defer(() => bus.close());
  const asker: Asker = { bus, rejections: 0 };
  void (async () => {
    for await (const { type } of bus.status()) if (type === 'error') asker.rejections += 1;
  })();
  return asker;
}

/**
 * Returns whether the server permits an action; it reports a violation before the next ping reply.
 */
async function isAllowed(asker: Asker, act: (bus: NatsConnection) => void): Promise<boolean> {
  const before = asker.rejections;
  act(asker.bus);
  await asker.bus.flush();
  await setImmediate();
  return asker.rejections === before;
}

// The message is invalid for every subject, so a permitted request returns an error.
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
// All subjects that any user may use, and those that only `prepare` may use.
const PUBLISHED = [
  'jobs.import',
  'jobs.mask',
  'jobs.categorise',
  'jobs.sentiment',
  'intake.response.1',
  'intake.employee.1',
  'progress.import.1',
  'deletions.account.1',
  'events.key.revoked',
  'events.settings.changed',
  'events.import.applied',
  'events.employee.created',
  'events.text.masked',
  'events.topic.created',
  ...consumers.map(({ stream, durable_name: name }) => `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`),
  ...consumers.map(({ stream, durable_name: name }) => `$JS.API.CONSUMER.DELETE.${stream}.${name}`),
  // A consumer of the same name that would receive all messages of the stream.
  ...consumers.map(({ stream, durable_name: name }) => `$JS.API.CONSUMER.CREATE.${stream}.${name}.>`),
  ...consumers.map((one) => `$JS.API.CONSUMER.CREATE.${one.stream}.${one.durable_name}.${one.filter_subject}`),
  ...consumers.map(({ stream, durable_name: name }) => `$JS.ACK.${stream}.${name}.1.1.1.1.1`),
  ...consumers.map(({ durable_name: name }) => `progress.facts.${name}`),
  ...STREAMS.flatMap(({ name }) => [
    `$JS.API.STREAM.MSG.GET.${name}`,
    `$JS.API.STREAM.MSG.DELETE.${name}`,
    `$JS.API.STREAM.PURGE.${name}`,
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

describe.each(users)('%s', (user, { publish, subscribe }) => {
  it('can publish only to the subjects in the permission table', async () => {
    const seen = [];
    const asker = await connectAs(user);
    // Not tested: `prepare` may purge and delete.
    const asked = PUBLISHED.filter((subject) => user !== 'prepare' || !subject.startsWith('$JS.API.'));
    for (const subject of asked) seen.push([subject, await mayPublish(asker, subject)]);
    expect(seen.filter(([subject, may]) => may !== allows(publish, String(subject)))).toEqual([]);
  });

  it('can subscribe only to the subjects in the permission table and to its inbox', async () => {
    const seen = [];
    const asker = await connectAs(user);
    const inboxes = users.map(([other]) => `_INBOX.${other}.>`);
    for (const subject of [...SUBSCRIBED, ...inboxes]) seen.push([subject, await maySubscribe(asker, subject)]);
    const own = [...subscribe, `_INBOX.${user}.>`];
    // A user with permission for some subjects of a pattern cannot subscribe to the pattern.
    expect(seen).toEqual(
      [...SUBSCRIBED, ...inboxes].map((subject) => [
        subject,
        own.includes(subject) || own.some((pattern) => !subject.includes('>') && matches(pattern, subject)),
      ]),
    );
  });
});

it('rejects a wrong password and the password of another user', async () => {
  for (const password of ['', 'wrong', passwords.prepare])
    await expect(connect({ ...readBusUrl(urlOf('gateway', password)), timeout: 2_000, reconnect: false })).rejects.toThrow(/./);
});

it('does not let a service create streams or consumers, or read a stream without its consumer', async () => {
  const { bus } = await connectAs('import-reconciler');
  const manager = await jetstreamManager(bus, { checkAPI: false, timeout: 500 });
  await expect(manager.streams.add({ name: 'SPY', subjects: ['spy'] })).rejects.toThrow(/./);
  await expect(manager.streams.purge('INTAKE')).rejects.toThrow(/./);
  await expect(manager.streams.delete('JOBS')).rejects.toThrow(/./);
  await expect(manager.consumers.add('INTAKE', { durable_name: 'spy' })).rejects.toThrow(/./);
  await expect(jetstream(bus, { timeout: 500 }).publish('intake.response.1', 'x')).rejects.toThrow(/./);
  // It has the permissions that it needs.
  expect(await jetstream(bus).publish('jobs.import', 'x')).toMatchObject({ stream: 'JOBS' });
  const consumer = await jetstream(bus).consumers.get('JOBS', 'import-reconciler');
  const message = await consumer.next({ expires: 2_000 });
  expect(message?.subject).toBe('jobs.import');
  expect(await message?.ackAck()).toBe(true);
});

describe.each(['ops-tools', 'application'] as const)('%s', (user) => {
  const [stream, subject] = user === 'application' ? ['EVENTS', 'events.>'] : ['INTAKE', 'intake.response.*'];

  it('can create no consumer, neither to read what it may not nor to publish by its deliveries', async () => {
    const { bus } = await connectAs(user);
    const manager = await jetstreamManager(bus, { checkAPI: false, timeout: 500 });
    const wanted = { ack_policy: AckPolicy.None, filter_subject: subject };
    for (const deliver_subject of [undefined, `_INBOX.${user}.spy`, 'jobs.import'])
      for (const name of ['spy', 'payroll', 'scoring-anonymity-response'])
        await expect(
          manager.consumers.add(stream, { ...wanted, durable_name: name, ...(deliver_subject && { deliver_subject }) }),
        ).rejects.toThrow(/./);
    await expect(manager.consumers.delete(stream, 'scoring-anonymity-response')).rejects.toThrow(/./);
    await expect(manager.streams.getMessage(stream, { seq: 1 })).rejects.toThrow(/./);
  });
});

it('lets the application pull events by a consumer that the installation has created, and acknowledge them', async () => {
  const [admin, application] = [await connectAs('account-admin'), await connectAs('application')];
  await jetstream(admin.bus).publish('events.settings.changed', 'x');
  const consumer = await jetstream(application.bus).consumers.get('EVENTS', 'payroll');
  const message = await consumer.next({ expires: 2_000 });
  expect(message?.subject).toMatch(/^events\./);
  expect(await message?.ackAck()).toBe(true);
  // NATS delivers a pull to any subject that the client names (docs/events.md).
  const jobs = async () => {
    const { bus } = await connectAs('prepare');
    return (await (await jetstreamManager(bus)).streams.info('JOBS')).state.last_seq;
  };
  const before = await jobs();
  application.bus.publish('$JS.API.CONSUMER.MSG.NEXT.EVENTS.payroll', '1', { reply: 'jobs.import' });
  await jetstream(admin.bus).publish('events.settings.changed', 'y');
  await expect.poll(jobs).toBe(before + 1);
});

it('lets exactly one service publish each event', () => {
  for (const event of Object.keys(EVENTS))
    expect([event, users.filter(([, { publish }]) => allows(publish, event)).length]).toEqual([event, 1]);
});

it('gives the users the same permissions in the charts', async () => {
  const text = await readFile(new URL('../../charts/survey/templates/_service-facts.tpl', import.meta.url), 'utf8');
  const block = (
    name: string,
  ): Record<
    string,
    { publishes: string[]; subscribes: string[]; consumers?: { stream: string; name: string; subject: string }[] }
  > => parse(new RegExp(`define "survey.${name}" -}}\n(.*?){{- end`, 's').exec(text)?.[1] ?? '');
  const charted = { ...block('components'), ...block('busUsers') };
  expect(Object.keys(charted).toSorted()).toEqual(Object.keys(BUS_USERS).toSorted());
  for (const [user, { publish, subscribe }] of users) {
    const { publishes = [], subscribes, consumers: read = [] } = charted[user] ?? {};
    const reading = read.flatMap(({ stream, name, subject }) => [
      `$JS.API.CONSUMER.INFO.${stream}.${name}`,
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
      `$JS.ACK.${stream}.${name}.>`,
      ...(stream === 'INTAKE' ? [`progress.facts.${name}`] : []),
      `$JS.API.STREAM.INFO.${stream}`,
      `$JS.API.CONSUMER.DELETE.${stream}.${name}`,
      `$JS.API.CONSUMER.CREATE.${stream}.${name}.${subject}`,
    ]);
    expect([user, [...new Set([...publishes, ...reading])].toSorted(), subscribes]).toEqual([
      user,
      publish.toSorted(),
      subscribe,
    ]);
  }
});
