import { BUS_USERS } from '@survey/bus/permissions.ts';
import { CONSUMERS } from '@survey/bus/streams.ts';
import {
  addressVariable,
  serviceEnvironments,
  NODE_FLAGS,
  SERVICES,
  type StackConfig,
} from '@survey/local/service-environments.ts';
import { forEachService } from '@survey/local/service-environments.ts';
import { ROLES } from '@survey/postgres/migrate.ts';
import { describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { readComponents } from '../support/chart/components.ts';
import { render } from '../support/chart/render.ts';

const components = readComponents();
const config: StackConfig = {
  databaseUrl: 'postgres://db/survey',
  replicaUrl: 'postgres://db-ro/survey',
  rolePasswords: Object.assign({}, ...ROLES.map((role) => ({ [role]: 'p' }))),
  natsUrl: 'nats://bus',
  redisUrl: 'redis://cache',
  mail: { SMTP_URL: 'smtp://mail' },
  logLevel: 'info',
  listen: forEachService(() => ({ serve: 'here:1', probe: 'here:2' })),
};
const environments = serviceEnvironments(config);

test('the charts describe exactly the existing services', () =>
  expect(Object.keys(components).sort()).toEqual([...SERVICES].sort()));

describe.each(SERVICES)('the chart component %s', (service) => {
  const facts = components[service];
  const environment = environments[service];

  test('lists the services that it calls', () => {
    const called = SERVICES.filter((other) => addressVariable(other) in environment);
    expect([...(facts?.calls ?? [])].sort()).toEqual([...called].sort());
  });

  test('names its stores, its database role and its protocol', () => {
    expect(facts?.role).toBe(new URL(environment['DATABASE_URL'] ?? '').username);
    expect(facts?.replicaConnections !== undefined).toBe('DATABASE_REPLICA_URL' in environment);
    expect(facts?.stores.includes('redis')).toBe('REDIS_URL' in environment);
    expect(facts?.stores.includes('smtp')).toBe('SMTP_URL' in environment);
    expect(facts?.serves).toBe('HTTP_LISTEN' in environment ? 'http' : 'grpc');
  });

  test('lists its JetStream consumers', () => {
    const own = Object.entries(CONSUMERS).filter(([name]) => name === service || name.startsWith(`${service}-`));
    expect(facts?.consumers).toEqual(own.map(([name, { stream }]) => ({ stream, name })));
    expect(own.map(([name]) => name)).toEqual(expect.arrayContaining(facts?.scaledBy ?? []));
  });

  test('has the Node flags of the local stack', () => expect(facts?.nodeFlags).toBe(NODE_FLAGS[service].join(' ')));
});

const { helm3 } = inject('tools');

test.skipIf(helm3 === undefined)('the bundled NATS has the users and permissions that the system tests use', async () => {
  const manifests = await render({ values: ['profiles/small.yaml'] });
  const conf = manifests.map(({ data }) => data?.['nats.conf'] ?? '').join('');
  const users = conf.matchAll(/user: (\S+)[^]*?publish: \{ (allow|deny): (\[.*\]) \}\s+subscribe: \{ allow: (\[.*\]) \}/g);
  const rendered = [...users].map(([, user = '', verb, publish = '', subscribe = '']) => {
    const listed = z.array(z.string());
    const inbox = `_INBOX.${user}.>`;
    const heard = listed.parse(JSON.parse(subscribe)).filter((subject) => subject !== inbox);
    return [
      user,
      { publish: verb === 'allow' ? new Set(listed.parse(JSON.parse(publish))) : new Set(), subscribe: new Set(heard) },
    ];
  });
  const tested = Object.entries(BUS_USERS).map(([user, { publish, subscribe }]) => [
    user,
    { publish: new Set<string>(publish), subscribe: new Set<string>(subscribe) },
  ]);
  expect(Object.fromEntries(rendered)).toEqual(Object.fromEntries(tested));
});
