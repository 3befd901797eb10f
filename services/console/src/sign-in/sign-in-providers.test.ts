import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { AuthorizationResponseError } from 'openid-client';
import { afterAll, expect, it } from 'vitest';
import { fetchBounded, providerError } from './sign-in-providers.ts';

// Answers as many bytes as the path says.
const server = createServer((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)), ' ')));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => server.close());
const { port } = server.address() as AddressInfo;
const read = async (bytes: number): Promise<number> =>
  (await (await fetchBounded(`http://127.0.0.1:${port}/${bytes}`, {})).arrayBuffer()).byteLength;

it('reads an answer of a provider up to 1 MiB', async () => {
  expect(await read(2 ** 20)).toBe(2 ** 20);
  await expect(read(2 ** 20 + 1)).rejects.toThrow('the provider answers more than 1048576 bytes');
});

it('names what a provider answered by its code, and never by what it says about the user', () => {
  const answered = (error: string): Error =>
    new AuthorizationResponseError('x', { cause: new URLSearchParams({ error, error_description: 'no seat for ada@x.io' }) });
  expect(providerError(answered('access_denied'))).toBe('access_denied');
  expect(providerError(answered('ada@x.io'))).toBe('OAUTH_AUTHORIZATION_RESPONSE_ERROR');
  expect(providerError(new TypeError('ada@x.io'))).toBe('TypeError');
});

it('reaches a provider through the proxy of the environment, which the chart sets', async () => {
  const asked = Promise.withResolvers<string>();
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.resolve(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const module = fileURLToPath(new URL('sign-in-providers.ts', import.meta.url));
  const program = `const { fetchBounded } = await import(${JSON.stringify(module)}); await fetchBounded('https://provider.invalid/', {}).catch(() => 0)`;
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTPS_PROXY };
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: 'ignore' });
  // A child that was killed would reset its connection, whose error nobody in this process handles.
  const [url] = await Promise.all([asked.promise, once(child, 'exit')]);
  expect(url).toBe('provider.invalid:443');
  proxy.close();
});
