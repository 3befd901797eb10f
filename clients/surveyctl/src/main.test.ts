import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
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

it.each(['stdout', 'stderr'] as const)('ends with its exit code although nobody reads its %s', async (unread) => {
  const env = { ...process.env, ACCOUNT_ADMIN_ADDRESS: '127.0.0.1:1', NODE_EXTRA_CA_CERTS: '/dev/null' };
  const doctor = spawn(process.execPath, [MAIN, 'doctor', '--nats', 'nats://127.0.0.1:1'], { env });
  doctor[unread].destroy();
  expect(await once(doctor, 'exit')).toEqual([1, null]);
});
