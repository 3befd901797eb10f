import { expect, test } from 'vitest';
import { addressVariable, serviceEnvironments, roleUrl, SERVICES, type StackConfig } from './service-environments.ts';

const config: StackConfig = {
  databaseUrl: 'postgres://owner:secret@127.0.0.1:5432/survey?sslmode=disable',
  rolePasswords: {
    survey_gateway: 'p1',
    survey_export: 'p2',
    survey_imports: 'p3',
    survey_scoring: 'p4',
    survey_text: 'p5',
    survey_admin: 'p6',
  },
  natsUrl: 'nats://127.0.0.1:4222',
  redisUrl: 'redis://127.0.0.1:6379',
  mail: { MAIL_DIR: '/mail' },
  logLevel: 'info',
  listen: {
    gateway: { serve: '127.0.0.1:8080', probe: '127.0.0.1:1' },
    export: { serve: '127.0.0.1:8081', probe: '127.0.0.1:2' },
    'import-reconciler': { serve: '127.0.0.1:8082', probe: '127.0.0.1:3' },
    'scoring-anonymity': { serve: '127.0.0.1:8083', probe: '127.0.0.1:4' },
    'text-analysis': { serve: '127.0.0.1:8084', probe: '127.0.0.1:5' },
    'account-admin': { serve: '127.0.0.1:8085', probe: '127.0.0.1:6' },
  },
};
const environments = serviceEnvironments(config);

test('gives the gateway its HTTP port, Redis and the four upstreams of the public API', () => {
  expect(environments.gateway).toEqual({
    DATABASE_URL: 'postgres://survey_gateway:p1@127.0.0.1:5432/survey?sslmode=disable',
    NATS_URL: 'nats://127.0.0.1:4222',
    REDIS_URL: 'redis://127.0.0.1:6379',
    PROBE_LISTEN: '127.0.0.1:1',
    LOG_LEVEL: 'info',
    HTTP_LISTEN: '127.0.0.1:8080',
    EXPORT_ADDRESS: '127.0.0.1:8081',
    IMPORT_RECONCILER_ADDRESS: '127.0.0.1:8082',
    SCORING_ANONYMITY_ADDRESS: '127.0.0.1:8083',
    TEXT_ANALYSIS_ADDRESS: '127.0.0.1:8084',
  });
});

test('gives Redis only to the gateway and mail only to import-reconciler', () => {
  expect(SERVICES.filter((service) => 'REDIS_URL' in environments[service])).toEqual(['gateway']);
  expect(SERVICES.filter((service) => 'MAIL_DIR' in environments[service])).toEqual(['import-reconciler']);
});

test('gives each service a database role of its own', () => {
  const users = SERVICES.map((service) => new URL(environments[service]['DATABASE_URL'] ?? '').username);
  expect(new Set(users).size).toBe(SERVICES.length);
});

test('gives internal callers the addresses of their upstreams', () => {
  expect(environments['text-analysis']).toHaveProperty(addressVariable('scoring-anonymity'), '127.0.0.1:8083');
  expect(environments['account-admin']).toHaveProperty(addressVariable('import-reconciler'), '127.0.0.1:8082');
  expect(environments['account-admin']).toHaveProperty(addressVariable('text-analysis'), '127.0.0.1:8084');
});

test('escapes reserved characters of a password in the URL', () => {
  const url = new URL(roleUrl(config.databaseUrl, 'survey_export', 'a/b@c:d%'));
  expect(decodeURIComponent(url.password)).toBe('a/b@c:d%');
});
