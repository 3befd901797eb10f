import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { findProgram } from '@survey/local/find-program.ts';
import { reservePort } from '@survey/local/ports.ts';
import { supervise } from '@survey/local/supervise.ts';
import { TestCertificates } from '../support/test-certificates.ts';
import { afterAll, expect, it } from 'vitest';
import { containersOf, podOf } from '../support/chart/manifest.ts';
import { parseManifests } from '../support/chart/render.ts';
import { reportSkipped } from '../support/skipped.ts';
import { onDay } from '../support/year-log.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-redis-certificate-'));
const closing = new AsyncDisposableStack();
closing.defer(() => rm(folder, { recursive: true, force: true }));
afterAll(() => closing.disposeAsync());
const example = parseManifests(await readFile(new URL('../../deploy/examples/redis.yaml', import.meta.url), 'utf8'));
const [container] = example.flatMap((object) => containersOf(podOf(object)?.spec ?? {}));
const port = await reservePort();
const env = { PATH: process.env['PATH'], REDIS_PASSWORD: 'test', REDISCLI_AUTH: 'test' };
// The folders of the pod.
const here = (script = ''): string =>
  script
    .replaceAll(/(?<=[ =])\/(tls|tmp)(?![.\w])/g, folder)
    .replaceAll('6379', String(port))
    .replaceAll('redis-cli', `redis-cli -p ${port}`);

const probe = (): void => {
  const [shell = '', ...args] = container?.readinessProbe?.exec?.command ?? [];
  execFileSync(shell, args.map(here), { env, stdio: 'pipe' });
};

function serialNumber(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

const hasPrograms = (await findProgram('redis-server')) !== undefined && (await findProgram('redis-cli')) !== undefined;
if (!hasPrograms) reportSkipped('redis-certificate', 'the Redis example with TLS: redis-server is not on the PATH');

it.skipIf(!hasPrograms)('the Redis example loads a renewed certificate', async () => {
  const certificates = new TestCertificates(folder);
  certificates.makeAuthority('ca');
  certificates.make('tls', 'DNS:localhost,IP:127.0.0.1');
  const log = await open(join(folder, 'log'), 'w');
  const [command = '', ...args] = [...(container?.command ?? []), ...(container?.args ?? [])].map(here);
  const server = supervise({ command, args, env, output: log.fd });
  closing.defer(async () => {
    await server.stop(5_000);
    await log.close();
  });
  await expect.poll(serialNumber).toEqual(expect.any(String));
  probe();
  const before = await serialNumber();
  certificates.make('tls', 'DNS:localhost,IP:127.0.0.1');
  expect(await serialNumber()).toBe(before);
  probe();
  expect(await serialNumber()).not.toBe(before);
  onDay(60, 'the certificate of Redis is renewed: the probe of the example makes the server load it');
});
