import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { NODE_FLAGS, SERVICES } from '@survey/local/service-environments.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readComponents } from './components.ts';
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
// As bootstrap-secrets makes them.
const SECRET = 'p'.repeat(33);

describe.each(SERVICES)('compose.yaml runs %s', (name) => {
  const { command, environment, read_only, cap_drop, ports, healthcheck } =
    services[name] ?? container.parse({ image: '', command: [], restart: '' });

  test('with settings that it can read, as the role that it has', () => {
    expect(command).toEqual([name]);
    const filled = Object.entries(environment).map(([key, value]) => [key, value.replaceAll(/\$\{\w+:\?[^}]*\}/g, SECRET)]);
    expect(() => readEnvironment(ENVIRONMENTS.get(name) ?? {}, Object.fromEntries(filled))).not.toThrow();
    expect(new URL(environment['DATABASE_URL'] ?? '').username).toBe(components[name]?.role);
    expect(environment['PGPASSWORD']).toContain(`\${${components[name]?.role.toUpperCase()}_PASSWORD:?`);
    expect(environment['NODE_OPTIONS']).toContain(NODE_FLAGS[name].join(' '));
  });

  test('and asks whether it is ready by a script that can be read', () => {
    const [, ...words] = healthcheck?.test ?? [];
    expect(words.slice(0, 2)).toEqual(['node', '--eval']);
    expect(() => new Script(words[2] ?? 'none?')).not.toThrow();
  });

  test('as tightly as the chart does', () => {
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

test.each(Object.keys(services))('compose.yaml bounds %s and looks whether it is healthy', (name) => {
  const { mem_limit, pids_limit, tmpfs, healthcheck, restart } = services[name] ?? container.parse({});
  expect(mem_limit).toMatch(/^\d+[mg]$/);
  expect(pids_limit).toBeGreaterThan(0);
  expect(tmpfs.filter((mount) => !mount.includes(':size='))).toEqual([]);
  // What ends by itself is not looked at.
  expect(healthcheck !== undefined).toBe(restart !== 'no');
});

test('compose.yaml lets Redis use less memory than its container has', () => {
  const { command = [], mem_limit = '' } = services['redis'] ?? {};
  const [, maxmemory] = /--maxmemory (\d+)mb --maxmemory-policy allkeys-lru/.exec(command.join(' ')) ?? [];
  expect(Number(maxmemory)).toBeLessThan(Number.parseInt(mem_limit, 10));
});

test('bootstrap-secrets --env makes every password that compose.yaml asks for', () => {
  const made = execFileSync(fileURLToPath(new URL('bin/bootstrap-secrets', DEPLOY)), ['--env'], { encoding: 'utf8' });
  const names = [...made.matchAll(/^([A-Z_]+)=p\w{32}$/gm)].map(([, name = '']) => name);
  const asked = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name = '']) => name));
  expect(names.sort()).toEqual([...asked].sort());
});
