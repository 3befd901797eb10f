import { afterAll, expect, it } from 'vitest';
import { startTestConsole, type TestConsole } from '../support/console.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// The web console while an upstream is unavailable: it reports the problem and performs no partial
// action.
const { stack, operator, importAndWait } = await startFileStack();
const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());

const NOWHERE = '127.0.0.1:1';
const start = async (more: Readonly<Record<string, string>> = {}): Promise<TestConsole> =>
  resources.use(await startTestConsole(stack, operator, more));

/** Returns a client with the cookies of another console; both share keys and Redis. */
function continued(at: TestConsole, client: ConsoleClient): ConsoleClient {
  const next = at.anonymous();
  for (const pair of client.cookie.split('; '))
    next.setCookie(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  return next;
}

it('returns 503 with Retry-After while Redis is unavailable, on sign-in and to those who are signed in', async () => {
  const web = await start({ REDIS_URL: `redis://${NOWHERE}` });
  const client = web.anonymous();
  expect(await client.get('/sign-in')).toMatchObject({ status: 200 });
  const begun = await client.post('/sign-in', { issuer: 'admins' });
  expect(begun).toMatchObject({ status: 503 });
  expect(begun.headers.get('retry-after')).toBe('5');
  expect(begun.text).toContain('Sign-in is not available at the moment');
  client.setCookie('__Host-console', `${'x'.repeat(43)}.${'x'.repeat(43)}`);
  expect(await client.get('/accounts')).toMatchObject({ status: 503 });
});

it('returns 503 while account-admin is unavailable, keeps the session, and goes on when it is back', async () => {
  const keys = { CONSOLE_SESSION_KEYS: Buffer.alloc(32, 7).toString('base64') };
  const web = await start(keys);
  const account = await operator.createAccount();
  await web.bind(account.accountId);
  await importAndWait(account, [R(0, { email: 'admin@x.io', role: 'Admin' }), ...records(1, 3)]);
  const client = await web.signIn({ id: 'admin', name: 'Admin', email: 'admin@x.io' });
  const without = await start({ ...keys, ACCOUNT_ADMIN_ADDRESS: NOWHERE });
  const page = await continued(without, client).get(`/a/${account.accountId}/keys`);
  expect(page).toMatchObject({ status: 503 });
  expect(page.text).toContain('Not available at the moment');
  expect(page.headers.get('retry-after')).toBe('5');
  expect(await client.get(`/a/${account.accountId}/keys`)).toMatchObject({ status: 200 });
});

it('says that the provider is unavailable, and serves those who are signed in', async () => {
  const issuers = [{ id: 'admins', name: 'A', issuer: `http://${NOWHERE}`, client_id: 'console' }];
  const web = await start({ CONSOLE_ISSUERS: JSON.stringify(issuers) });
  const begun = await web.anonymous().post('/sign-in', { issuer: 'admins' });
  expect(begun).toMatchObject({ status: 503 });
  expect(begun.text).toContain('Your provider is not available');
});
