import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

const MAIN = fileURLToPath(new URL('../../deploy/image/main.ts', import.meta.url));

it.each([
  ['STREAM_MAX_BYTES', '{"INTAK":1}', 'INTAK'],
  ['STREAM_MAX_BYTES', '{"INTAKE":1', 'STREAM_MAX_BYTES: must be JSON'],
  ['LOG_LEVEL', 'loud', 'LOG_LEVEL'],
  ['LOG_LEVEL', '', 'ECONNREFUSED'],
])('names what is wrong when %s is %j', async (name, value, fault) => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x', NATS_URL: 'nats://127.0.0.1:1', [name]: value };
  const stdout = expect.stringContaining(fault);
  await expect(promisify(execFile)(process.execPath, [MAIN, 'prepare'], { env })).rejects.toMatchObject({ code: 1, stdout });
});

it('rejects a PostgreSQL that allows fewer connections than the chart assumes', async () => {
  const database = await createDatabase(inject('postgres'));
  try {
    const env = { DATABASE_URL: database.url, NATS_URL: 'nats://127.0.0.1:1', DATABASE_CONNECTIONS: '100000' };
    await expect(promisify(execFile)(process.execPath, [MAIN, 'prepare'], { env })).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/cannot prepare: PostgreSQL allows \d+ connections, postgres.maxConnections is 100000/),
    });
  } finally {
    await database.drop();
  }
});
