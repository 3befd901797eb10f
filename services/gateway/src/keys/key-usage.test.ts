import { createLog } from '@survey/process/log.ts';
import express from 'express';
import { expect, it } from 'vitest';
import { setRequestContext } from '../http/request-context.ts';
import { openKeyUsage, type Usage } from './key-usage.ts';

async function serving(store: (usage: readonly Usage[]) => Promise<void>) {
  const resources = new AsyncDisposableStack();
  const usage = openKeyUsage(store, { resources, log: createLog('test', 'silent') });
  const app = express();
  app.use((request, _response, next) => {
    const caller = { accountId: 1, keyId: 'k', scope: 'read', rateLimit: null } as const;
    setRequestContext(request, { requestId: 'r', receivedAt: 0, route: 'none', caller });
    next();
  });
  app.use(usage.count);
  app.use((request, response) => {
    const status = Number(request.url.slice(1));
    if (status === 202) response.setHeader('Deprecation', '@0');
    response.status(status).end();
  });
  const server = app.listen(0, '127.0.0.1');
  resources.defer(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const request = async (status: number) => (await fetch(`http://127.0.0.1:${port}/${status}`)).arrayBuffer();
  return { usage, resources, request };
}

it('stores sums by key and outcome, and nothing without requests', async () => {
  const stored: Usage[] = [];
  const { usage, resources, request } = await serving((counts) => Promise.resolve(void stored.push(...counts)));
  for (const status of [200, 202, 404, 429, 503]) await request(status);
  await expect.poll(async () => (await usage.flush(), stored.reduce((sum, { succeeded }) => sum + succeeded, 0))).toBe(2);
  const sum = (name: 'rejected' | 'throttled' | 'failed' | 'deprecated') => stored.reduce((total, each) => total + each[name], 0);
  expect([sum('rejected'), sum('throttled'), sum('failed'), sum('deprecated')]).toEqual([1, 1, 1, 1]);
  stored.length = 0;
  await usage.flush();
  expect(stored).toEqual([]);
  await resources.disposeAsync();
});

it('keeps counts that could not be stored, and stores them when the process stops', async () => {
  const stored: Usage[] = [];
  let isAvailable = false;
  const { usage, resources, request } = await serving((counts) => {
    if (!isAvailable) return Promise.reject(new Error('unavailable'));
    stored.push(...counts);
    return Promise.resolve();
  });
  await request(200);
  await usage.flush();
  await request(200);
  isAvailable = true;
  await resources.disposeAsync();
  expect(stored).toMatchObject([{ account_id: 1, key_id: 'k', succeeded: 2 }]);
});
