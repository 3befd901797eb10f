import { afterAll, describe, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { startFileStack } from '../support/file-stack.ts';
import { createSigningKey, startForgingProvider, type SigningOptions } from '../support/forging-provider.ts';
import { R } from '../support/records.ts';

// ID tokens that a provider, or an attacker between it and the console, could present.
const { stack, operator, importAndWait } = await startFileStack();
const provider = await startForgingProvider();
afterAll(() => provider[Symbol.asyncDispose]());
const CLIENT_ID = 'console';
const issuers = [{ id: 'forged', name: 'Forging provider', issuer: provider.issuer, client_id: CLIENT_ID, client_secret: 's' }];
const web = await startTestConsole(stack, operator, { CONSOLE_ISSUERS: JSON.stringify(issuers) });
afterAll(() => web[Symbol.asyncDispose]());

const account = await operator.createAccount();
await operator.admin.setIssuers(
  { account_id: account.accountId, issuers: [provider.issuer] },
  { caller: { requestId: 'test' }, deadlineMs: 10_000 },
);
await importAndWait(account, [R(0, { email: 'admin@x.io', role: 'Admin' })]);

const now = (): number => Math.floor(Date.now() / 1_000);

/** Begins a sign-in and returns the claims of a valid token for it, with the state. */
async function begin(client: ConsoleClient) {
  const start = await client.post('/sign-in', { issuer: 'forged', return: '/' });
  const url = new URL(/url=(.*)$/.exec(start.headers.get('refresh') ?? '')?.[1] ?? '');
  const claims = {
    iss: provider.issuer,
    aud: CLIENT_ID,
    sub: 'subject',
    nonce: url.searchParams.get('nonce') ?? '',
    iat: now(),
    exp: now() + 300,
    auth_time: now(),
    email: 'admin@x.io',
    email_verified: true,
  };
  return { claims, state: url.searchParams.get('state') ?? '' };
}

async function signInWith(change: object, options?: SigningOptions) {
  const client = web.anonymous();
  const { claims, state } = await begin(client);
  provider.setToken(provider.sign({ ...claims, ...change }, options));
  const response = await client.get(`/sign-in/callback?code=c&state=${state}`);
  return { response, hasSession: (await client.get('/accounts')).status === 200 };
}

describe('an ID token', () => {
  it('signs the admin in when it is valid', async () => {
    const { response, hasSession } = await signInWith({});
    expect(response).toMatchObject({ status: 303, location: `/a/${account.accountId}/` });
    expect(hasSession).toBe(true);
  });

  it.each([
    ['names another issuer', { iss: 'https://other.example' }],
    ['is for another client', { aud: 'other' }],
    ['is for several clients without naming this one as its party', { aud: [CLIENT_ID, 'other'], azp: 'other' }],
    ['has the nonce of another sign-in', { nonce: 'other' }],
    ['has no nonce', { nonce: undefined }],
    ['has expired', { exp: now() - 120 }],
    ['has no subject', { sub: undefined }],
  ])('is rejected when it %s', async (_, change) => {
    const { response, hasSession } = await signInWith(change);
    expect(response).toMatchObject({ status: 400 });
    expect(hasSession).toBe(false);
  });

  it.each([
    ['with another key', { key: createSigningKey().privateKey }],
    ['with another algorithm than the provider uses', { algorithm: 'RS512' }],
    ['not at all', { algorithm: 'none' }],
  ])('is rejected when it is signed %s', async (_, options) => {
    const { response, hasSession } = await signInWith({}, options);
    expect(response).toMatchObject({ status: 400 });
    expect(hasSession).toBe(false);
  });

  it('is rejected when the callback has the state of another browser', async () => {
    const [client, victim] = [web.anonymous(), web.anonymous()];
    const { claims, state } = await begin(client);
    await begin(victim);
    provider.setToken(provider.sign(claims));
    expect(await victim.get(`/sign-in/callback?code=c&state=${state}`)).toMatchObject({ status: 400 });
  });
});
