import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { BUS_USERS } from '@survey/bus/permissions.ts';
import { podOf } from '../support/chart/manifest.ts';
import { parseManifests, render } from '../support/chart/render.ts';
import { restrictedFaults } from './pod-security.ts';
import { strictSchemas } from './strict-schemas.ts';

const EXAMPLES = new URL('../../deploy/examples/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, EXAMPLES), 'utf8');
const { helm3 } = inject('tools');
const USERS = /(      # oxfmt-ignore\n      users:\n)(?: {8}.*\n)*/;
const natsValues = z.object({
  config: z.object({
    nats: z.object({ tls: z.object({ enabled: z.boolean() }) }),
    merge: z.object({ authorization: z.object({ users: z.array(z.object({ user: z.string(), password: z.string() })) }) }),
  }),
  container: z.object({ env: z.record(z.string(), z.unknown()) }),
});

test("the PostgreSQL example matches CloudNativePG's schema", () => {
  const cluster = parseManifests(read('cloudnative-pg.yaml')).filter(({ kind }) => kind === 'Cluster');
  expect(cluster).toHaveLength(1);
  expect(cluster.flatMap(strictSchemas('1.33'))).toEqual([]);
});

test("the example of a certificate authority matches cert-manager's schemas", () => {
  const objects = parseManifests(read('cert-manager.yaml'));
  expect(objects.map(({ kind }) => kind)).toEqual(['Issuer', 'Certificate', 'Issuer']);
  expect(objects.flatMap(strictSchemas('1.33'))).toEqual([]);
});

test('one authority signs for all example stores and lasts ten years, and PostgreSQL uses it', () => {
  const certificates = parseManifests(read('store-certificates.yaml')).filter(({ kind }) => kind === 'Certificate');
  const [authority, ...leaves] = certificates.map(({ spec }) => spec);
  expect(authority).toMatchObject({ isCA: true, duration: '87600h' });
  for (const leaf of leaves) expect(leaf?.['issuerRef']).toEqual({ name: 'survey-stores', kind: 'ClusterIssuer' });
  const [cluster] = parseManifests(read('cloudnative-pg.yaml'));
  const secrets = leaves.map((leaf) => leaf?.['secretName']);
  expect(cluster?.spec?.['certificates']).toEqual({ serverTLSSecret: secrets[0], serverCASecret: secrets[0] });
});

test("the certificates of the example stores match cert-manager's schemas and name the hosts of the profiles", () => {
  const objects = parseManifests(read('store-certificates.yaml'));
  // A ClusterIssuer has the schema of an Issuer.
  const known = objects.map((object) => (object.kind === 'ClusterIssuer' ? { ...object, kind: 'Issuer' } : object));
  expect(known.flatMap(strictSchemas('1.33'))).toEqual([]);
  const names = objects.flatMap(({ spec }) => (spec?.['dnsNames'] ?? []) as string[]);
  const profile = parse(readFileSync(new URL('../../charts/survey/profiles/ha.yaml', import.meta.url), 'utf8')) as {
    nats: { host: string };
    redis: { host: string };
    postgres: { host: string };
  };
  expect(names).toEqual(expect.arrayContaining([profile.nats.host, profile.redis.host, profile.postgres.host]));
});

test('the Redis example matches the Kubernetes schema and Pod Security', () => {
  const objects = parseManifests(read('redis.yaml'));
  expect(objects.flatMap(strictSchemas('1.33'))).toEqual([]);
  const pods = objects.flatMap((object) => podOf(object) ?? []);
  expect(pods).toHaveLength(1);
  expect(pods.flatMap(restrictedFaults)).toEqual([]);
});

// `npm run test:chart -- examples -u` rewrites the permissions.
test('the NATS example grants each user the permissions of its service', async () => {
  const text = read('nats-values.yaml');
  expect(text).toMatch(USERS);
  const written = text.replace(USERS, (_, before: string) => `${before}${exampleUsers()}`);
  await expect(written).toMatchFileSnapshot(fileURLToPath(new URL('nats-values.yaml', EXAMPLES)));
});

test('the NATS example uses TLS and reads every password from the secret', () => {
  const { config, container } = natsValues.parse(parse(read('nats-values.yaml')));
  expect(config.nats.tls.enabled).toBe(true);
  for (const { user, password } of config.merge.authorization.users)
    expect({ password, from: container.env[variableOf(user)] }).toEqual({
      password: `<< $${variableOf(user)} >>`,
      from: { valueFrom: { secretKeyRef: { name: 'survey-nats', key: user } } },
    });
});

const variableOf = (user: string): string => `${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

function exampleUsers(): string {
  return Object.entries(BUS_USERS)
    .map(([user, { publish, subscribe }]) => {
      // NATS treats an empty list as "everything is allowed".
      const published = publish.length > 0 ? { allow: publish } : { deny: ['>'] };
      const permissions = { publish: published, subscribe: { allow: [...subscribe, `_INBOX.${user}.>`] } };
      return `        - user: ${user}\n          password: << $${variableOf(user)} >>\n          permissions: ${JSON.stringify(permissions)}\n`;
    })
    .join('');
}

describe.skipIf(helm3 === undefined)('the examples', () => {
  test('have the names, ports and replica counts that the profiles expect', async () => {
    const text = JSON.stringify(await render({ values: ['profiles/large-account.yaml'] }));
    const [pooler] = parseManifests(read('cloudnative-pg-pooler.yaml'));
    expect(text).toContain(`${pooler?.metadata.name}.databases.svc.cluster.local`);
    const nats = parse(read('nats-values.yaml')) as { config: { cluster: { replicas: number }; monitor: { port: number } } };
    expect(text).toContain(`nats-headless.nats.svc.cluster.local:${nats.config.monitor.port}`);
    expect(text).toContain(`{"name":"STREAM_REPLICAS","value":"${nats.config.cluster.replicas}"}`);
  });
});
