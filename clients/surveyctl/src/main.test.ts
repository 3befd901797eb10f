import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listenOn } from '@survey/process/listen.ts';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
// Fails when a module is loaded that --help does not need and that takes long to load.
const HOOK = `import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => {
  if (/node_modules\\/(zod|@grpc|@nats-io|pg|ioredis)\\//.test(url)) throw new Error('loaded ' + url);
  return next(url, context);
} });`;

it('prints its help without the libraries that only a command needs', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', hook, MAIN, '--help']);
  expect(stdout).toContain('Usage: surveyctl');
});

function startDoctor(nats: string) {
  const env = { ...process.env, ACCOUNT_ADMIN_ADDRESS: '127.0.0.1:1', NODE_EXTRA_CA_CERTS: '/dev/null' };
  return spawn(process.execPath, [MAIN, 'doctor', '--nats', nats], { env });
}

it.each(['stdout', 'stderr'] as const)('ends with its exit code although nobody reads its %s', async (unread) => {
  const doctor = startDoctor('nats://127.0.0.1:1');
  doctor[unread].destroy();
  expect(await once(doctor, 'exit')).toEqual([1, null]);
});

it('ends although NATS is frozen', { timeout: 20_000 }, async () => {
  const frozen = createServer();
  const doctor = startDoctor(`nats://${await listenOn(frozen, '127.0.0.1:0')}`);
  expect(await once(doctor, 'exit', { signal: AbortSignal.timeout(15_000) })).toEqual([1, null]);
  frozen.close();
});
