import { afterAll, describe, expect, it, vi } from 'vitest';
import { reservePort } from '@survey/local/ports.ts';
import { startTestConsole } from '../support/console.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { startFileStack } from '../support/file-stack.ts';
import { documentedClient, findKeycloak, startKeycloak, type Keycloak } from '../support/keycloak.ts';
import { R, records } from '../support/records.ts';

// The console with a provider that others make, set up as docs/identity.md says.
const script = await findKeycloak();
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
const PASSWORD = 'correct horse battery staple';
const CLOCK_OFF_MS = 180_000;
// A new key is looked for at most once a minute.
const NEW_KEY_WITHIN_MS = 90_000;

describe.skipIf(script === undefined)('Keycloak', { timeout: 300_000 }, async () => {
  if (script === undefined) return;
  const resources = new AsyncDisposableStack();
  afterAll(() => resources.disposeAsync());
  const { stack, operator, importAndWait } = await startFileStack();
  const keycloak = resources.use(await startKeycloak(script));
  const url = `http://127.0.0.1:${await reservePort()}`;
  const [acme, hostile] = [await createRealm(keycloak, url, 'acme'), await createRealm(keycloak, url, 'hostile')];
  const web = resources.use(
    await startTestConsole(stack, operator, { CONSOLE_URL: url, CONSOLE_ISSUERS: JSON.stringify([acme, hostile]) }),
  );
  const account = await operator.createAccount();
  await operator.admin.setIssuers({ account_id: account.accountId, issuers: [acme.issuer] }, CALL);
  await importAndWait(account, [R(0, { email: 'rosa@acme.example', role: 'Admin' }), ...records(1, 3)]);
  const browser = () => web.anonymous();

  it('signs an admin in and out, and lets them step up', async () => {
    const client = browser();
    expect(await signIn(client, 'acme')).toMatchObject({ status: 200 });
    expect((await client.get('/accounts')).text).toContain('rosa@<wbr />acme.example');
    const again = await client.follow('/sign-in/again?return=/help');
    expect(await logIn(client, again.text)).toMatchObject({ status: 200 });
    const left = await client.submit('/accounts', '/sign-out');
    expect(left.headers.get('refresh')).toContain(`${acme.issuer}/protocol/openid-connect/logout`);
    expect(await client.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('signs nobody in whom another realm vouches for', async () => {
    expect(await signIn(browser(), 'hostile')).toMatchObject({ status: 403 });
  });

  it('ends the sessions of a user whom Keycloak signs out', async () => {
    const client = browser();
    await signIn(client, 'acme');
    await keycloak.admin('POST', `/acme/users/${await rosaOf(keycloak)}/logout`);
    await expect.poll(async () => (await client.get('/accounts')).status, { timeout: 10_000 }).toBe(303);
  });

  it('signs no disabled user in', async () => {
    const path = `/acme/users/${await rosaOf(keycloak)}`;
    await keycloak.admin('PUT', path, { enabled: false });
    const refused = await signIn(browser(), 'acme');
    expect(refused.text).toMatch(/disabled/i);
    await keycloak.admin('PUT', path, { enabled: true });
    expect(await signIn(browser(), 'acme')).toMatchObject({ status: 200 });
  });

  it.each([
    ['ahead', CLOCK_OFF_MS],
    ['behind', -CLOCK_OFF_MS],
  ])('works while the clock of the console is three minutes %s', async (_, ms) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
    try {
      const client = browser();
      expect(await signIn(client, 'acme')).toMatchObject({ status: 200 });
      const again = await client.follow('/sign-in/again?return=/help');
      expect(await logIn(client, again.text)).toMatchObject({ status: 200 });
      await keycloak.admin('POST', `/acme/users/${await rosaOf(keycloak)}/logout`);
      await expect.poll(async () => (await client.get('/accounts')).status, { timeout: 10_000 }).toBe(303);
    } finally {
      vi.useRealTimers();
    }
  });

  it('accepts tokens of a key that is new', async () => {
    await keycloak.admin('POST', '/acme/components', {
      name: 'rotated',
      providerId: 'rsa-generated',
      providerType: 'org.keycloak.keys.KeyProvider',
      config: { priority: ['200'], enabled: ['true'], active: ['true'], algorithm: ['RS256'] },
    });
    const client = browser();
    await expect
      .poll(async () => (await signIn(client, 'acme')).status, { timeout: NEW_KEY_WITHIN_MS, interval: 5_000 })
      .toBe(200);
    await expect
      .poll(
        async () => {
          await keycloak.admin('POST', `/acme/users/${await rosaOf(keycloak)}/logout`);
          const { status } = await client.get('/accounts');
          if (status === 200) await signIn(client, 'acme');
          return status;
        },
        { timeout: NEW_KEY_WITHIN_MS, interval: 5_000 },
      )
      .toBe(303);
  });
});

/** Creates a realm with the client of docs/identity.md and a user. Returns its issuer entry. */
async function createRealm(keycloak: Keycloak, consoleUrl: string, realm: string) {
  const client_secret = crypto.randomUUID();
  const client = { ...(await documentedClient(consoleUrl, realm)), secret: client_secret };
  const rosa = { username: 'rosa', email: 'rosa@acme.example', firstName: 'Rosa', lastName: 'Lang', enabled: true };
  const credentials = [{ type: 'password', value: PASSWORD, temporary: false }];
  await keycloak.admin('POST', '', {
    realm,
    enabled: true,
    clients: [client],
    users: [{ ...rosa, emailVerified: true, credentials }],
  });
  return {
    id: realm,
    name: realm,
    issuer: keycloak.issuerOf(realm),
    client_id: String(Object(client)['clientId']),
    client_secret,
  };
}

async function rosaOf(keycloak: Keycloak): Promise<string> {
  const [rosa] = Object(await keycloak.admin('GET', '/acme/users?username=rosa'));
  return String(rosa.id);
}

async function signIn(client: ConsoleClient, issuer: string) {
  const start = await client.post('/sign-in', { issuer, return: '/' });
  const target = /url=(.*)$/.exec(start.headers.get('refresh') ?? '')?.[1] ?? '/';
  return logIn(client, (await client.follow(target)).text);
}

/** Answers Keycloak's form, unless it knows the browser already. */
async function logIn(client: ConsoleClient, page: string) {
  const action = /<form[^>]*id="kc-form-login"[^>]*action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
  if (action === undefined) return client.get('/accounts');
  const answer = await client.post(action, { username: 'rosa', password: PASSWORD, credentialId: '' });
  const next = answer.headers.get('location');
  return next === null ? answer : client.follow(next);
}
