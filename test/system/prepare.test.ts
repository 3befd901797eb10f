import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { createDatabase } from '../support/postgres-server.ts';

const MAIN = fileURLToPath(new URL('../../deploy/image/main.ts', import.meta.url));

it('rejects the size of a stream that does not exist', async () => {
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x', NATS_URL: 'nats://127.0.0.1:1', STREAM_MAX_BYTES: '{"INTAK":1}' };
  const stdout = expect.stringMatching(/INTAK/);
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
