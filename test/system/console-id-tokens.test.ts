import { afterAll, describe, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { shareStack } from '../support/file-stack.ts';
import { createSigningKey, startForgingProvider, type SigningOptions } from '../support/forging-provider.ts';
import { R } from '../support/records.ts';

// ID tokens that a provider, or an attacker between it and the console, could present.
const { stack, operator, importAndWait } = await shareStack();
const provider = await startForgingProvider();
afterAll(() => provider[Symbol.asyncDispose]());
const CLIENT_ID = 'console';
const issuer = (id: string, url: string) => ({ id, name: id, issuer: url, client_id: CLIENT_ID, client_secret: 's' });
// States that its responses name it (RFC 9207).
const naming = await startForgingProvider({ authorization_response_iss_parameter_supported: true });
afterAll(() => naming[Symbol.asyncDispose]());
// Offers no other way to send a client's secret.
const posting = await startForgingProvider({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
afterAll(() => posting[Symbol.asyncDispose]());
const issuers = [
  issuer('away', 'http://127.0.0.1:1'),
  issuer('forged', provider.issuer),
  issuer('naming', naming.issuer),
  issuer('posting', posting.issuer),
  { ...issuer('strong', provider.issuer), acr_values: ['gold', 'platinum'], amr_values: ['otp', 'hwk'] },
];
const settings = { CONSOLE_ISSUERS: JSON.stringify(issuers), TRUSTED_PROXY_HOPS: '1' };
const web = await startTestConsole(stack, operator, settings);
afterAll(() => web[Symbol.asyncDispose]());

const account = await operator.createAccount();
await operator.admin.setIssuers(
  { account_id: account.accountId, issuers: [provider.issuer, naming.issuer] },
  { caller: { requestId: 'test' }, deadlineMs: 10_000 },
);
await importAndWait(account, [R(0, { email: 'admin@x.io', role: 'Admin' })]);

async function auditOf(action: string) {
  const { entries } = await operator.admin.listAudit(
    { account_id: account.accountId, action, limit: 1 },
    { caller: { requestId: 'test' }, deadlineMs: 10_000 },
  );
  return entries[0];
}

const now = (): number => Math.floor(Date.now() / 1_000);

/** Begins a sign-in and returns the claims of a valid token for it, with the state. */
async function begin(client: ConsoleClient, id = 'forged') {
  const start = await client.post('/sign-in', { issuer: id, return: '/' });
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
  return { claims, state: url.searchParams.get('state') ?? '', redirectUri: url.searchParams.get('redirect_uri') };
}

async function signInWith(change: object, options?: SigningOptions, id = 'forged', headers = {}) {
  const client = web.anonymous();
  const { claims, state } = await begin(client, id);
  provider.setToken(provider.sign({ ...claims, ...change }, options));
  const response = await client.get(`/sign-in/callback/${id}?code=c&state=${state}`, headers);
  return { client, response, hasSession: (await client.get('/accounts')).status === 200 };
}

describe('an ID token', () => {
  it('signs the admin in when it is valid', async () => {
    const { response, hasSession } = await signInWith({});
    expect(response).toMatchObject({ status: 303, location: `/a/${account.accountId}/` });
    expect(hasSession).toBe(true);
  });

  it.each([
    ['192.0.2.9:50123', '192.0.2.9'],
    ['[2001:db8::9]:443', '2001:db8::9'],
    ['unknown', '127.0.0.1'],
  ])('is recorded with the address of its user, whom a proxy names %s', async (forwarded, address) => {
    await signInWith({}, undefined, 'forged', { 'X-Forwarded-For': forwarded });
    expect(await auditOf('sign-in')).toMatchObject({ address });
  });

  it.each([
    ['has the address in doubt, as a text', { email_verified: 'true' }],
    ['does not confirm the address', { email_verified: undefined }],
  ])('is rejected with 403 when it %s', async (_, change) => {
    expect((await signInWith({ ...change, sub: 'unconfirmed' })).response).toMatchObject({ status: 403 });
  });

  it.each([
    ['accepted with a context and a method of those required', { acr: 'platinum', amr: ['pwd', 'hwk'] }, 303],
    ['rejected with another context', { acr: 'silver', amr: ['otp'] }, 403],
    ['rejected with other methods', { acr: 'gold', amr: ['pwd'] }, 403],
    ['rejected with neither', {}, 403],
  ])('is %s', async (_, change, status) => {
    expect((await signInWith(change, undefined, 'strong')).response).toMatchObject({ status });
  });

  it('is not needed by a provider that loads the front channel in a frame and names its session', async () => {
    const [first, second] = [await signInWith({ sid: 'framed' }), await signInWith({ sid: 'not framed' })];
    const load = (query: Record<string, string>) =>
      web.anonymous().get(`/sign-out/front-channel?${new URLSearchParams(query).toString()}`);
    for (const query of [{ iss: provider.issuer }, { sid: 'framed' }, { iss: 'https://other.example', sid: 'framed' }])
      expect(await load(query)).toMatchObject({ status: 400 });
    expect(await first.client.get('/accounts')).toMatchObject({ status: 200 });
    const { status, headers } = await load({ iss: provider.issuer, sid: 'framed' });
    expect(status).toBe(200);
    expect(await auditOf('sign-out')).toMatchObject({ action: 'sign-out.provider', actor: 'admin@x.io' });
    expect(headers.get('x-frame-options')).toBeNull();
    expect(headers.get('content-security-policy')).toBe(`default-src 'none'; frame-ancestors ${new URL(provider.issuer).origin}`);
    expect(await first.client.get('/accounts')).toMatchObject({ status: 303 });
    expect(await second.client.get('/accounts')).toMatchObject({ status: 200 });
  });

  it.each([
    ['names another issuer', { iss: 'https://other.example' }],
    ['is for another client', { aud: 'other' }],
    ['is for several clients without naming this one as its party', { aud: [CLIENT_ID, 'other'], azp: 'other' }],
    ['has the nonce of another sign-in', { nonce: 'other' }],
    ['has no nonce', { nonce: undefined }],
    ['has expired by every clock', { exp: now() - 400 }],
    ['has no subject', { sub: undefined }],
    ['has a subject that cannot be stored', { sub: 'a\0b' }],
    ['has an address that cannot be stored', { email: 'admin\0@x.io' }],
    ['was issued before its user authenticated', { auth_time: now() + 3_600 }],
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
    expect(await victim.get(`/sign-in/callback/forged?code=c&state=${state}`)).toMatchObject({ status: 400 });
  });
});

describe('a code', () => {
  it('of one issuer is not sent to another, with which the user began to sign in', async () => {
    const client = web.anonymous();
    const { claims, state, redirectUri } = await begin(client, 'forged');
    expect(redirectUri).toBe(`${web.url}/sign-in/callback/forged`);
    provider.setToken(provider.sign(claims));
    const before = provider.requests('/token');
    // The issuer has sent the user on to another one, with the state of this sign-in.
    expect(await client.get(`/sign-in/callback/naming?code=c&state=${state}`)).toMatchObject({ status: 400 });
    expect(provider.requests('/token')).toBe(before);
    expect(await client.get('/accounts')).toMatchObject({ status: 303 });
  });

  it.each([
    ['accepted when the response names its issuer', 'naming', () => `&iss=${encodeURIComponent(naming.issuer)}`, 303],
    ['rejected when the response names another issuer', 'naming', () => `&iss=${encodeURIComponent(provider.issuer)}`, 400],
    ['rejected when the issuer says that it names itself and does not', 'naming', () => '', 400],
    ['rejected when an issuer that need not name itself names another', 'forged', () => '&iss=https://other.example', 400],
  ])('is %s', async (_, id, iss, status) => {
    const client = web.anonymous();
    const from = id === 'naming' ? naming : provider;
    const { claims, state } = await begin(client, id);
    from.setToken(from.sign({ ...claims, iss: from.issuer }));
    expect(await client.get(`/sign-in/callback/${id}?code=c&state=${state}${iss()}`)).toMatchObject({ status });
  });
});

describe('a provider', () => {
  it.each([
    ['sends browsers to a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['has its keys without TLS', { jwks_uri: 'http://keys.example/jwks' }],
    ['takes codes without TLS', { token_endpoint: 'http://login.example/token' }],
    ['signs out by a script', { end_session_endpoint: 'javascript:alert(1)' }],
    ['names no authorization endpoint', { authorization_endpoint: undefined }],
  ])('is unavailable while it %s', async (_, metadata) => {
    await using bad = await startForgingProvider(metadata);
    await using other = await startTestConsole(stack, operator, { CONSOLE_ISSUERS: JSON.stringify([issuer('bad', bad.issuer)]) });
    expect(await other.anonymous().post('/sign-in', { issuer: 'bad', return: '/' })).toMatchObject({ status: 503 });
  });

  it.each([
    ['posting', posting, { header: undefined, client_secret: 's' }],
    ['naming', naming, { header: expect.stringMatching(/^Basic /), client_secret: null }],
  ] as const)('gets the secret in the way that its metadata names: %s', async (id, from, { header, client_secret }) => {
    const client = web.anonymous();
    const { claims, state } = await begin(client, id);
    from.setToken(from.sign({ ...claims, iss: from.issuer }));
    await client.get(`/sign-in/callback/${id}?code=c&state=${state}&iss=${encodeURIComponent(from.issuer)}`);
    const sent = from.credentials();
    expect({ header: sent.header, client_secret: sent.form.get('client_secret') }).toEqual({ header, client_secret });
  });
});

describe('a step-up', () => {
  it('is rejected for the same subject of another issuer, with whom another tab has signed in meanwhile', async () => {
    const { client } = await signInWith({});
    const location = (await client.get('/sign-in/again?return=/help')).headers.get('location') ?? '';
    const { searchParams } = new URL(location);
    const other = await begin(client, 'naming');
    naming.setToken(naming.sign({ ...other.claims, iss: naming.issuer }));
    const iss = encodeURIComponent(naming.issuer);
    expect(await client.get(`/sign-in/callback/naming?code=c&state=${other.state}&iss=${iss}`)).toMatchObject({ status: 303 });
    provider.setToken(provider.sign({ ...other.claims, nonce: searchParams.get('nonce') }));
    const state = searchParams.get('state');
    expect(await client.get(`/sign-in/callback/forged?code=c&state=${state}`)).toMatchObject({ status: 400 });
  });

  it('is rejected when the provider has not authenticated the user anew', async () => {
    for (const [authTime, status] of [
      [now() - 120, 400],
      [undefined, 400],
      [now() - 5, 303],
    ] as const) {
      const { client } = await signInWith({});
      const location = (await client.get('/sign-in/again?return=/help')).headers.get('location') ?? '';
      const { searchParams } = new URL(location);
      const { claims } = await begin(client);
      provider.setToken(provider.sign({ ...claims, nonce: searchParams.get('nonce'), auth_time: authTime }));
      expect(await client.get(`/sign-in/callback/forged?code=c&state=${searchParams.get('state')}`)).toMatchObject({ status });
    }
  });
});

describe('a logout token', () => {
  const logoutClaims = (change: object = {}) => ({
    iss: provider.issuer,
    aud: CLIENT_ID,
    sub: 'subject',
    iat: now(),
    exp: now() + 120,
    jti: crypto.randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...change,
  });
  const report = (claims: object, options?: SigningOptions, address = '192.0.2.1') =>
    web
      .anonymous()
      .post(
        '/sign-out/back-channel',
        { logout_token: provider.sign(claims, options) },
        { 'Sec-Fetch-Site': 'cross-site', 'X-Forwarded-For': address },
      );

  it('ends all sessions of its subject, or the one of its session at the provider, once', async () => {
    const [first, second] = [await signInWith({ sid: 'first' }), await signInWith({ sid: 'second' })];
    expect(await report(logoutClaims({ sub: undefined, sid: 'first' }))).toMatchObject({ status: 200 });
    expect(await first.client.get('/accounts')).toMatchObject({ status: 303 });
    expect(await second.client.get('/accounts')).toMatchObject({ status: 200 });
    const claims = logoutClaims();
    expect(await report(claims)).toMatchObject({ status: 200 });
    expect(await auditOf('sign-out')).toMatchObject({ action: 'sign-out.provider', actor: 'admin@x.io' });
    expect(await second.client.get('/accounts')).toMatchObject({ status: 303 });
    expect(await report(claims)).toMatchObject({ status: 400 });
  });

  it.each([
    ['names another issuer', { iss: 'https://other.example' }],
    ['is for another client', { aud: 'other' }],
    ['has a nonce, as an ID token does', { nonce: 'n' }],
    ['reports another event', { events: { 'https://other.example': {} } }],
    ['names nobody', { sub: undefined }],
    ['names a session by nothing', { sid: '' }],
    ['is older than five minutes by every clock', { iat: now() - 700 }],
    ['has no id', { jti: undefined }],
  ])('is rejected when it %s', async (_, change) => {
    const { client } = await signInWith({});
    expect(await report(logoutClaims(change))).toMatchObject({ status: 400 });
    expect(await client.get('/accounts')).toMatchObject({ status: 200 });
  });

  it('is rejected when another key signed it', async () => {
    const { client } = await signInWith({});
    expect(await report(logoutClaims(), { key: createSigningKey().privateKey })).toMatchObject({ status: 400 });
    expect(await client.get('/accounts')).toMatchObject({ status: 200 });
  });

  it('makes the console download the keys of its provider once', async () => {
    await report(logoutClaims());
    const before = provider.requests('/jwks');
    await Promise.all(Array.from({ length: 100 }, () => report(logoutClaims({ aud: CLIENT_ID, sub: 'nobody' }))));
    expect(provider.requests('/jwks')).toBe(before);
  });

  it('is rejected with 429 when its sender has sent 300 others within a minute, of the same provider and in vain', async () => {
    const send = async (times: number, claims: () => object, address = '192.0.2.3'): Promise<Set<number>> => {
      const responses = await Promise.all(Array.from({ length: times }, () => report(claims(), {}, address)));
      return new Set(responses.map(({ status }) => status));
    };
    const valid = (): object => logoutClaims({ sub: 'nobody' });
    expect(await send(301, valid, '192.0.2.2')).toEqual(new Set([200]));
    const junk = (): object => ({ iss: provider.issuer, aud: CLIENT_ID });
    expect(await send(300, junk)).toEqual(new Set([400]));
    // Without a fast response of Redis, the console counts on its own.
    await expect.poll(() => send(1, junk)).toEqual(new Set([429]));
    expect(await send(1, valid)).toEqual(new Set([429]));
    expect(await send(1, () => ({ iss: naming.issuer, aud: CLIENT_ID }))).toEqual(new Set([400]));
  });
});
