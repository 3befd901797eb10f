import { execFile } from 'node:child_process';
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
