import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { roleUrl } from '@survey/local/service-environments.ts';
import { reservePort } from '@survey/local/ports.ts';
import { startService } from '@survey/local/service-process.ts';
import { expect, inject, it } from 'vitest';
import { openIntake, survey } from '../support/facts.ts';
import { startFileStack } from '../support/file-stack.ts';
import { scrape } from '../support/scrape.ts';
import { onDay } from '../support/year-log.ts';

const { stack, api, operator } = await startFileStack();
const intake = await openIntake(stack);
const server = inject('postgres');
const folder = join(server.folder, stack.databaseName, 'nats');
const rightConfiguration = await readFile(join(folder, 'nats.conf'), 'utf8');

// Equivalent to nats-server --signal reload.
async function reload(configuration: string): Promise<void> {
  await writeFile(join(folder, 'nats.conf'), configuration);
  process.kill(Number(await readFile(join(folder, 'nats.pid'), 'utf8')), 'SIGHUP');
}

async function connectedServices(): Promise<string[]> {
  const states = Object.entries(stack.services).map(async ([name, { probeAddress }]) => {
    const samples = await scrape(probeAddress);
    return samples.some((sample) => sample.name === 'bus_connected' && sample.value === 1) ? [name] : [];
  });
  return (await Promise.all(states)).flat();
}

async function rejections(): Promise<number> {
  return (await readFile(`${folder}.log`, 'utf8')).split('authentication error').length - 1;
}

const readiness = async (probe: string): Promise<number> => (await fetch(`http://${probe}/readyz`)).status;

const names = Object.keys(stack.services);
const wrongConfiguration = rightConfiguration.replaceAll(/(?<=user: (?!local).*password: )"[^"]*"/g, '"wrong"');

it('reconnects to the bus when its password becomes valid again', async () => {
  const own = await operator.createAccount();
  await expect.poll(connectedServices).toEqual(names);
  await reload(wrongConfiguration);
  await expect.poll(connectedServices).toEqual([]);
  // The client library closes a connection after two identical authorization errors.
  await expect.poll(rejections).toBeGreaterThan(5 * names.length);
  expect(await connectedServices()).toEqual([]);
  // Reads do not need the bus.
  expect(await readiness(stack.services.gateway.probeAddress)).toBe(200);
  expect(await api.get('/v1/surveys', own.readKey)).toMatchObject({ status: 200 });
  await reload(rightConfiguration);
  await expect.poll(connectedServices).toEqual(names);
  await intake.publishFacts(own.accountId, 'survey', [survey(1)]);
  expect(await api.get('/v1/surveys', own.readKey)).toMatchObject({ body: { total_count: 1 } });
  onDay(31, 'NATS has other passwords than the services: they serve what they have, and facts wait until both agree');
});

it('is not ready when the bus has rejected its password since the start', async () => {
  await reload(wrongConfiguration);
  const probe = `127.0.0.1:${await reservePort()}`;
  const [, password = ''] = /user: export, password: "([^"]*)"/.exec(rightConfiguration) ?? [];
  const environment = {
    DATABASE_URL: roleUrl(stack.databaseUrl, 'survey_export', server.rolePasswords.survey_export),
    NATS_URL: stack.natsUrl.replace('nats://', `nats://export:${password}@`),
    PROBE_LISTEN: probe,
  };
  const service = startService({ name: 'export', environment, onLine: () => {} });
  try {
    await expect.poll(() => service.lastLines().join('\n')).toContain('bus unavailable');
    await expect.poll(() => service.lastLines().join('\n')).toContain('"serving"');
    expect(await readiness(probe)).toBe(503);
    await reload(rightConfiguration);
    await expect.poll(() => readiness(probe)).toBe(200);
  } finally {
    await reload(rightConfiguration);
    await service.stop();
  }
});

it('exits with a message that names the setting when NATS_URL is malformed', async () => {
  const lines: string[] = [];
  const environment = {
    DATABASE_URL: roleUrl(stack.databaseUrl, 'survey_export', server.rolePasswords.survey_export),
    NATS_URL: 'nats:/export:secret@bus',
    PROBE_LISTEN: '127.0.0.1:0',
  };
  const service = startService({ name: 'export', environment, onLine: (line) => lines.push(line) });
  await expect.poll(() => service.lastLines().join('\n')).toContain('the address of the bus (NATS_URL) must be');
  expect(service.lastLines().join('\n')).not.toContain('secret');
  await service.stop();
});
