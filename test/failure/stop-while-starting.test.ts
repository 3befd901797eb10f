import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '@survey/export/config.ts';
import { startExport } from '@survey/export/service.ts';
import { roleUrl } from '@survey/local/service-environments.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { expect, inject, it } from 'vitest';
import { startFileStack } from '../support/file-stack.ts';

const { stack } = await startFileStack();
const settings = readEnvironment(environment, {
  DATABASE_URL: roleUrl(stack.databaseUrl, 'survey_export', inject('postgres').rolePasswords.survey_export),
  NATS_URL: stack.natsUrl,
  LOG_LEVEL: 'silent',
});

it.each([0, 1, 2, 4, 8, 16, 32, 64])('stops within 5 s when it has run for %i ms', async (ms) => {
  const service = await startExport(settings);
  await sleep(ms);
  const stopped = service[Symbol.asyncDispose]().then(() => 'stopped');
  expect(await Promise.race([stopped, sleep(5_000, 'still running', { ref: false })])).toBe('stopped');
});
