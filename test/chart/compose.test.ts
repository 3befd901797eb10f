import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { NODE_FLAGS, SERVICES } from '@survey/local/service-environments.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readComponents } from '../support/chart/components.ts';
import { ENVIRONMENTS } from './service-environments.ts';

const DEPLOY = new URL('../../deploy/', import.meta.url);
const container = z.looseObject({
  image: z.string(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()).default({}),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  mem_limit: z.string().optional(),
  pids_limit: z.int().optional(),
  tmpfs: z.array(z.string()).default([]),
  restart: z.string(),
});
const text = await readFile(new URL('compose.yaml', DEPLOY), 'utf8');
const { services } = z.object({ services: z.record(z.string(), container) }).parse(parse(text, { merge: true }));
const components = readComponents();
// Same shape as a secret of bootstrap-secrets.
const SECRET = 'p'.repeat(33);

describe.each(SERVICES)('the compose service %s', (name) => {
  const { command, environment, read_only, cap_drop, ports, healthcheck } =
    services[name] ?? container.parse({ image: '', command: [], restart: '' });

  test('has valid settings and connects as its own database role', () => {
    expect(command).toEqual([name]);
    // A required value is a secret here, and any other has its default.
    const filled = Object.entries(environment).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{\w+:\?[^}]*\}/g, SECRET).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1'),
    ]);
    expect(() => readEnvironment(ENVIRONMENTS.get(name) ?? {}, Object.fromEntries(filled))).not.toThrow();
    expect(new URL(environment['DATABASE_URL'] ?? '').username).toBe(components[name]?.role);
    expect(environment['PGPASSWORD']).toContain(`\${${components[name]?.role.toUpperCase()}_PASSWORD:?`);
    expect(environment['NODE_OPTIONS']).toContain(NODE_FLAGS[name].join(' '));
  });

  test('checks its readiness with a script that parses', () => {
    const [, ...words] = healthcheck?.test ?? [];
    expect(words.slice(0, 2)).toEqual(['node', '--eval']);
    expect(() => new Script(words[2] ?? 'none?')).not.toThrow();
  });

  test('has the container restrictions of the chart', () => {
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

test.each(Object.keys(services))('compose.yaml limits the resources of %s and checks its health', (name) => {
  const { mem_limit, pids_limit, tmpfs, healthcheck, restart } = services[name] ?? container.parse({});
  expect(mem_limit).toMatch(/^\d+[mg]$/);
  expect(pids_limit).toBeGreaterThan(0);
  expect(tmpfs.filter((mount) => !mount.includes(':size='))).toEqual([]);
  // Containers that exit by design have no health check.
  expect(healthcheck !== undefined).toBe(restart !== 'no');
});

test('compose.yaml limits Redis to less memory than its container has', () => {
  const { command = [], mem_limit = '' } = services['redis'] ?? {};
  const [, maxmemory] = /--maxmemory (\d+)mb --maxmemory-policy allkeys-lru/.exec(command.join(' ')) ?? [];
  expect(Number(maxmemory)).toBeLessThan(Number.parseInt(mem_limit, 10));
});

test('bootstrap-secrets --env creates every password that compose.yaml requires', () => {
  const created = execFileSync(fileURLToPath(new URL('bin/bootstrap-secrets', DEPLOY)), ['--env'], { encoding: 'utf8' });
  const names = [...created.matchAll(/^([A-Z_]+)=p\w{32}$/gm)].map(([, name = '']) => name);
  const required = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = '']) => name));
  expect(names.sort()).toEqual([...required].sort());
});
