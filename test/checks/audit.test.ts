import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const AUDIT = fileURLToPath(new URL('audit.ts', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'survey-audit-'));
const [lock, vex] = [join(folder, 'lock.yaml'), join(folder, 'vex.json')];
await writeFile(lock, "packages:\n  '@scope/seeded@1.0.0': {}\n  harmless@2.0.0: {}\n");

// Answers as the registry does: only for packages that the request names in a vulnerable version.
const registry = createServer((request, response) => {
  void (async () => {
    const asked = (await json(request)) as Record<string, string[]>;
    const advisory = { url: 'https://registry.invalid/advisories/GHSA-test', title: 'Seeded', severity: 'high' };
    response.statusCode = request.url?.startsWith('/without/') === true ? 405 : 200;
    response.end(JSON.stringify(asked['@scope/seeded']?.includes('1.0.0') === true ? { '@scope/seeded': [advisory] } : {}));
  })();
}).listen(0, '127.0.0.1');
await once(registry, 'listening');
afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true });
});

async function audit(validUntil?: string, path = '/'): Promise<{ code: number; output: string }> {
  const statement = {
    vulnerability: { name: 'GHSA-test' },
    status: 'not_affected',
    impact_statement: 'The vulnerable function is never called.',
    valid_until: validUntil,
  };
  await writeFile(vex, JSON.stringify({ statements: validUntil === undefined ? [] : [statement] }));
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}${path}` };
  const child = execFile(process.execPath, [AUDIT, lock, vex], { env });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

it('fails for a seeded vulnerable version, and names it', async () => {
  const { code, output } = await audit();
  expect(code).toBe(1);
  expect(output).toMatch(/^high: @scope\/seeded: GHSA-test Seeded; /m);
});

it.each([
  ['2999-12-31', 0],
  ['2020-01-01', 1],
])('takes a reason until %s, and ends with code %i', async (validUntil, code) => {
  expect(await audit(validUntil)).toMatchObject({ code });
});

it('says that it is skipped when the registry has no list', async () => {
  expect(await audit(undefined, '/without/')).toEqual({
    code: 0,
    output: 'skipped: audit: the registry lists no vulnerabilities (405)\n',
  });
});
