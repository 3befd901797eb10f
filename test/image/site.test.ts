import { randomUUID } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@survey/local/ports.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { docker } from './docker.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TAG = 'survey-site:under-test';
const container = `survey-site-${randomUUID().slice(0, 8)}`;
let url = '';

beforeAll(async () => {
  execFileSync('npm', ['run', '--silent', 'docs'], { cwd: ROOT, stdio: 'pipe' });
  const base = process.env['SITE_BASE_IMAGE'];
  const given = base === undefined ? [] : ['--build-arg', `BASE_IMAGE=${base}`];
  await docker('build', '--file', `${ROOT}/deploy/site/Dockerfile`, '--tag', TAG, ...given, ROOT);
  const [port] = await freePorts([0]);
  url = `http://127.0.0.1:${port}`;
  // As the chart runs it; any user, as OpenShift chooses one.
  const limits = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--user', '1000690000:0', '--memory', '64m'];
  await docker('run', '--detach', '--name', container, ...limits, '--publish', `127.0.0.1:${port}:8080`, TAG);
});

afterAll(() => docker('rm', '--force', container));

it('serves the documentation as any user with a read-only file system', async () => {
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  const home = await fetch(url);
  const page = await home.text();
  expect(page).toContain('<title>');
  expect(home.headers.get('content-security-policy')).toContain("default-src 'self'");
  const asset = /\/assets\/[^"]+\.css/.exec(page)?.[0] ?? '';
  expect((await fetch(`${url}${asset}`)).headers.get('cache-control')).toContain('immutable');
  expect((await fetch(`${url}/operating`)).status).toBe(200);
  expect((await fetch(`${url}/no-such-page`)).status).toBe(404);
});
