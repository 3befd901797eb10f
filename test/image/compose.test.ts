import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reservePort } from '@survey/local/ports.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { apiAt } from '../support/api.ts';
import { R } from '../support/records.ts';
import { docker } from './docker.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const project = `survey-${randomUUID().slice(0, 8)}`;
const SERVICES = ['gateway', 'export', 'import-reconciler', 'scoring-anonymity', 'text-analysis', 'account-admin'];
const STARTED = { timeout: 180_000, interval: 500 };

const container = z.object({
  HostConfig: z.object({ Memory: z.int().positive(), PidsLimit: z.int().positive(), ReadonlyRootfs: z.boolean() }),
  State: z.object({ Health: z.object({ Status: z.string() }).optional(), OOMKilled: z.boolean() }),
});
const keys = z.object({ read_key: z.string(), write_key: z.string() });

let folder = '';
let url = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'survey-compose-'));
  const secrets = execFileSync(join(ROOT, 'deploy/bin/bootstrap-secrets'), ['--env'], { encoding: 'utf8' });
  const port = await reservePort();
  url = `http://127.0.0.1:${port}`;
  const { POSTGRES_IMAGE = 'postgres:15', NATS_IMAGE = 'nats:2.11.1', REDIS_IMAGE = 'redis:7' } = process.env;
  const images = { SURVEY_IMAGE: inject('image'), POSTGRES_IMAGE, NATS_IMAGE, REDIS_IMAGE, SURVEY_PORT: String(port) };
  await writeFile(
    join(folder, '.env'),
    secrets +
      Object.entries(images)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
  );
  await compose('up', '--detach');
});

afterAll(async () => {
  await compose('down', '--volumes', '--timeout', '5');
  await rm(folder, { recursive: true });
});

describe('deploy/compose.yaml', () => {
  it('starts every service with its limits, and imports and lists employees', async () => {
    for (const service of SERVICES) await expect.poll(() => healthOf(service), STARTED).toBe('healthy');
    for (const service of [...SERVICES, 'postgres', 'nats', 'redis']) {
      const { HostConfig } = await inspect(service);
      expect({ service, isReadOnly: HostConfig.ReadonlyRootfs }).toEqual({ service, isReadOnly: SERVICES.includes(service) });
    }
    const made = await surveyctl('account', 'create', '--name', 'First', '--with-keys', '--connect', '--json');
    const { read_key, write_key } = keys.parse(JSON.parse(made));
    const api = apiAt(url);
    expect(await api.post('/v1/employees/imports', { employees: [R(1), R(2)] }, write_key)).toMatchObject({ status: 202 });
    const list = () => api.get('/v1/employees', read_key);
    await expect.poll(list, STARTED).toMatchObject({ status: 200, body: { total_count: 2 } });
  });

  it('keeps what was stored when its containers are replaced', async () => {
    await compose('down', '--timeout', '40');
    await compose('up', '--detach');
    for (const service of SERVICES) await expect.poll(() => healthOf(service), STARTED).toBe('healthy');
    expect(await surveyctl('account', 'list')).toContain('First');
  });
});

async function compose(...args: readonly string[]): Promise<string> {
  const given = ['--project-name', project, '--env-file', join(folder, '.env'), '--file', join(ROOT, 'deploy/compose.yaml')];
  return docker('compose', ...given, ...args);
}

async function surveyctl(...args: readonly string[]): Promise<string> {
  return compose('exec', '-T', 'account-admin', 'surveyctl', ...args);
}

async function inspect(service: string): Promise<z.infer<typeof container>> {
  const id = await compose('ps', '--quiet', service);
  return container.parse(z.array(z.unknown()).parse(JSON.parse(await docker('inspect', id)))[0]);
}

async function healthOf(service: string): Promise<string | undefined> {
  const { State } = await inspect(service);
  expect(State.OOMKilled).toBe(false);
  return State.Health?.Status;
}
