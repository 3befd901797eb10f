import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { environment } from '@survey/console/config.ts';
import { routeTable } from '@survey/console/routes.ts';
import { formToken } from '@survey/console/form-token.ts';
import { ownPath } from '@survey/console/sign-in/start.ts';
import { href } from '@survey/console/views/html.ts';
import { csvLine } from '@survey/console/respond.ts';
import { createSeal } from '@survey/console/sign-in/seal.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { assert, property, string } from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import type { ConsoleClient } from '../support/console-client.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// Permissions of the web console, driven from its route table: new routes are covered
// automatically.
const { stack, operator, db, importAndWait } = await shareStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());

const UUID = '01890000-0000-7000-8000-000000000000';
const CALL = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

async function adminOf(id: string) {
  const account = await operator.createAccount();
  await web.bind(account.accountId);
  const person = { id, name: id, email: `${id}@x.io` };
  const record = R(0, { email: person.email, role: 'Admin' });
  await importAndWait(account, [record, ...records(1, 3)]);
  return { account, person, record, client: await web.signIn(person) };
}

let one: Awaited<ReturnType<typeof adminOf>>;
let other: Awaited<ReturnType<typeof adminOf>>;
beforeAll(async () => {
  one = await adminOf('one');
  other = await adminOf('other');
});

const inAccount = routeTable.filter(({ access }) => access === 'account');
const title = ({ method, path }: { method: string; path: string }): string => `${method.toUpperCase()} ${path}`;

/** Returns the route's path with its parameters filled in. */
function pathOf(path: string, accountId: number): string {
  const values: Record<string, string> = {
    account: String(accountId),
    import: UUID,
    key: UUID,
    attribute: '1',
    topic: '1',
    run: UUID,
  };
  return path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '1');
}

const send = (client: ConsoleClient, { method, path }: { method: string; path: string }, accountId: number) =>
  method === 'get' ? client.get(pathOf(path, accountId)) : client.post(pathOf(path, accountId), { token: 'x' });

describe('a route of an account', () => {
  it.each(inAccount.map((route) => [title(route), route] as const))(
    'leads to the sign-in when nobody is signed in: %s',
    async (_, route) => {
      const response = await send(web.anonymous(), route, one.account.accountId);
      expect(response).toMatchObject({ status: 303 });
      expect(response.location).toMatch(/^\/sign-in/);
    },
  );

  it.each(inAccount.filter(({ method }) => method === 'get').map((route) => [title(route), route] as const))(
    'returns the same 404 to the admin of another account and for one that does not exist: %s',
    async (_, route) => {
      const foreign = await send(other.client, route, one.account.accountId);
      const unknown = await send(other.client, route, 999_999);
      expect([foreign.status, unknown.status]).toEqual([404, 404]);
      const body = ({ text }: { text: string }): string =>
        text.replaceAll(
          /[0-9a-f]{8}-[0-9a-f-]{27}|name="token" value="[^"]*"|\/a\/\d+\/[^"]*|\d\d:\d\d UTC|data-seconds="\d+"/g,
          '',
        );
      expect(body(foreign)).toBe(body(unknown));
    },
  );

  it.each(
    inAccount
      .filter(({ method, isUpload }) => method === 'post' && isUpload !== true)
      .map((route) => [title(route), route] as const),
  )('returns 403 to a form without its token, with that of another session and from another site: %s', async (_, route) => {
    const path = pathOf(route.path, one.account.accountId);
    // A fresh session: changes are limited per session.
    const client = await web.signIn(one.person);
    const foreign = formToken({ formSecret: 'secret of another session', foundAt: Date.now() }, path);
    for (const token of ['', 'x', foreign]) expect(await client.post(path, { token })).toMatchObject({ status: 403 });
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await client.post(path, { token: '' }, { 'Sec-Fetch-Site': site })).toMatchObject({ status: 403 });
  });
});

describe('every response', () => {
  it.each(['/sign-in', '/nowhere', '/a/1/', '/sign-in/callback/admins?code=x&state=y', '/assets/x/console.css'])(
    'has the security headers: %s',
    async (path) => {
      const { headers } = await web.anonymous().get(path);
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
      );
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-powered-by')).toBeNull();
    },
  );
});

describe('sign-in', () => {
  const invite = async (id: string) => {
    const account = await operator.createAccount();
    await web.bind(account.accountId);
    const at = (path: string): string => `/a/${account.accountId}${path}`;
    const person = { id, name: id, email: `${id}@x.io` };
    await operator.admin.inviteAdmin({ account_id: account.accountId, email: ` ${person.email.toUpperCase()} ` }, CALL);
    return { account, at, person, client: await web.signIn(person) };
  };

  const begin = async (client: ConsoleClient): Promise<URL> => {
    const start = await client.post('/sign-in', { issuer: 'admins', return: '/' });
    return new URL(/url=(.*)$/.exec(start.headers.get('refresh') ?? '')?.[1] ?? '');
  };

  it('rejects a callback without, and with a wrong state, and one that is repeated', async () => {
    const client = web.anonymous();
    expect(await client.get('/sign-in/callback/admins?code=x&state=y')).toMatchObject({ status: 400 });
    await begin(client);
    expect(await client.get('/sign-in/callback/admins?code=x&state=wrong')).toMatchObject({ status: 400 });
    // The first attempt has consumed it.
    expect(await client.get('/sign-in/callback/admins?code=x&state=wrong')).toMatchObject({ status: 400 });
  });

  it('completes two sign-ins that one browser begins at once, and keeps the forms of the first tab valid', async () => {
    const { person } = await adminOf('two-tabs');
    const client = web.anonymous();
    const [first, second] = [await begin(client), await begin(client)];
    expect(await client.authenticate(second.href, person.id)).toMatchObject({ status: 200 });
    const page = await client.get('/accounts');
    expect(await client.authenticate(first.href, person.id)).toMatchObject({ status: 200 });
    const token = /action="\/sign-out">\s*<input type="hidden" name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(await client.post('/sign-out', { token })).toMatchObject({ status: 200 });
  });

  it('goes on after a callback that it did not begin', async () => {
    const { person } = await adminOf('stray');
    const client = web.anonymous();
    const url = await begin(client);
    for (const stray of [
      '/sign-in/callback/admins?code=x&state=y',
      `/sign-in/callback/other?code=x&state=${url.searchParams.get('state')}`,
    ]) {
      const refused = await client.get(stray);
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.text).toMatch(/<a class="btn" href="\/sign-in"/);
    }
    expect(await client.authenticate(url.href, person.id)).toMatchObject({ status: 200 });
  });

  it('leads a signed-in user who goes back to the callback to the start page', async () => {
    const { client, account } = await adminOf('goes-back');
    const back = await client.get('/sign-in/callback/admins?code=used&state=used');
    expect(back).toMatchObject({ status: 303, location: `/a/${account.accountId}/` });
  });

  it('signs nobody in whose entry in the audit cannot be written', async () => {
    const { person } = await adminOf('unaudited');
    const client = web.anonymous();
    await db.query('revoke insert on admin.audit from survey_admin');
    const page = await client.signIn(person.id, 'admins');
    await db.query('grant insert on admin.audit to survey_admin');
    expect(page.status).toBeGreaterThanOrEqual(500);
    expect(await client.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('assigns a new id to a session whose cookie an attacker has planted', async () => {
    const client = web.anonymous();
    const attacker = await web.signIn(other.person);
    const planted = /__Host-console=([^;]+)/.exec(attacker.cookie)?.[1] ?? '';
    client.setCookie('__Host-console', planted);
    expect(await client.signIn(one.person.id, 'admins')).toMatchObject({ status: 200 });
    expect(client.cookie).not.toContain(planted);
    expect(await attacker.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('rejects an address that the provider has not verified, an employee who is no Admin, and an issuer that the account is not bound to', async () => {
    const unverified = { id: 'unverified', name: 'U', email: 'e1@x.io', email_verified: false };
    await expect(web.signIn(unverified)).rejects.toThrow('403');
    const respondee = { id: 'respondee', name: 'R', email: 'e1@x.io' };
    await expect(web.signIn(respondee)).rejects.toThrow('403');
    const account = await operator.createAccount();
    await importAndWait(account, [R(0, { email: 'unbound@x.io', role: 'Admin' })]);
    await expect(web.signIn({ id: 'unbound', name: 'B', email: 'unbound@x.io' })).rejects.toThrow('403');
  });

  it('rejects a second subject with the address of an admin who is linked already', async () => {
    const { person } = await adminOf('linked');
    await expect(web.signIn({ id: 'imposter', name: 'I', email: person.email })).rejects.toThrow('403');
  });

  it('admits an invited user as admin until an import makes them an employee [AUTH-INVITATION-1]', async () => {
    const { account, at, person, client } = await invite('invited');
    expect((await client.get(at('/'))).text).toContain('You use this account by invitation');
    expect((await client.submit(at('/keys'), at('/keys'), { name: 'BI', scope: 'read' })).text).toContain('eng_live_r_');
    await expect(web.signIn({ ...person, id: 'second' })).rejects.toThrow('403');
    const { counts } = await importAndWait(account, [R(0, { email: person.email, role: 'Admin' }), ...records(1, 3)]);
    expect(counts).toMatchObject({ created: 4, skipped: 0 });
    expect(await client.get(at('/keys'))).toMatchObject({ status: 200 });
    const employee = await web.signIn(person);
    expect((await employee.get(at('/'))).text).not.toContain('by invitation');
    expect(await client.get(at('/keys'))).toMatchObject({ status: 403 });
  });

  it('rejects an invited user when the invitation has ended or is withdrawn [AUTH-INVITATION-1]', async () => {
    const ended = await invite('ended');
    await db.query('update admin.invitation set ends_at = now() where account_id = $1', [ended.account.accountId]);
    expect(await ended.client.get(ended.at('/'))).toMatchObject({ status: 403 });
    await expect(web.signIn(ended.person)).rejects.toThrow('403');
    const withdrawn = await invite('withdrawn');
    const { at, account, person } = withdrawn;
    await operator.admin.withdrawInvitation({ account_id: account.accountId, email: person.email }, CALL);
    expect(await withdrawn.client.get(at('/'))).toMatchObject({ status: 403 });
  });

  it('lists only the accounts in which the user may still act, and ends the session with the last one', async () => {
    const { client, record, account, person } = await adminOf('leaves');
    const second = await operator.createAccount();
    await web.bind(second.accountId);
    await importAndWait(second, [R(0, { email: person.email, role: 'Admin' }), ...records(1, 3)]);
    const both = await web.signIn(person);
    expect((await both.get('/accounts')).text).toContain(`/a/${second.accountId}/`);
    await importAndWait(account, [{ ...record, role: null }, ...records(1, 3)]);
    const page = await both.get('/accounts');
    expect(page.text).not.toContain(`/a/${account.accountId}/`);
    expect(page.text).toContain(`/a/${second.accountId}/`);
    expect(await client.get('/accounts')).toMatchObject({ status: 403 });
    expect(await client.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('rejects the next request of a user whose issuer the account no longer accepts', async () => {
    const { client, account } = await adminOf('issuer-removed');
    const overview = `/a/${account.accountId}/`;
    expect(await client.get(overview)).toMatchObject({ status: 200 });
    const change = { account_id: account.accountId, issuers: ['https://other.example'] };
    await operator.admin.setIssuers(change, CALL);
    expect(await client.get(overview)).toMatchObject({ status: 403 });
  });

  it('does not start with a provider of operators, whose users could otherwise become admins', () => {
    const entry = { id: 'o', name: 'O', issuer: 'https://o.example', client_id: 'c', operators: { claim: 'groups', value: 'o' } };
    const settings = { CONSOLE_ISSUERS: JSON.stringify([entry]) };
    expect(() => readEnvironment({ CONSOLE_ISSUERS: environment.CONSOLE_ISSUERS }, settings)).toThrow('operators');
  });

  it('does not start with two providers of the same id, which would share a redirect URI', () => {
    const entry = { id: 'a', name: 'A', issuer: 'https://a.example', client_id: 'c' };
    const settings = { CONSOLE_ISSUERS: JSON.stringify([entry, { ...entry, issuer: 'https://b.example' }]) };
    expect(() => readEnvironment({ CONSOLE_ISSUERS: environment.CONSOLE_ISSUERS }, settings)).toThrow('an id of its own');
  });

  it('answers 404 to a path that is not a URL', async () => {
    const { hostname, port } = new URL(web.url);
    const [response] = await once(get({ hostname, port, path: '//[' }), 'response');
    response.resume();
    expect(response.statusCode).toBe(404);
  });

  it('leads back to own paths only', () => {
    for (const path of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/a\nb',
      '\\\\evil',
      '/.//evil.example',
      '/a/..//evil.example',
      '/a/%2e%2e//evil.example',
      '/\t/evil.example',
      '/%0d\r\nSet-Cookie: x',
      '',
    ])
      expect(ownPath(path)).toBe('/');
    expect(ownPath('/a/1/keys?q=x')).toBe('/a/1/keys?q=x');
    assert(property(string(), (path) => new URL(ownPath(path), 'https://console.example').origin === 'https://console.example'));
  });

  it('ends the session with sign-out, also for a copy of its cookie', async () => {
    const { client } = await adminOf('offboardedEmployee');
    const copy = web.anonymous();
    copy.setCookie('__Host-console', /__Host-console=([^;]+)/.exec(client.cookie)?.[1] ?? '');
    expect(await copy.get('/accounts')).toMatchObject({ status: 200 });
    const left = await client.submit('/accounts', '/sign-out');
    expect(left.headers.get('refresh')).toContain(`${web.provider.issuer}/session/end?`);
    expect(left.headers.get('refresh')).toContain(encodeURIComponent(`${web.url}/sign-in?after=sign-out`));
    expect(await copy.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('lets a replaced id read for some seconds, change nothing, and end with its successor', async () => {
    const { client, person, account } = await adminOf('replaced');
    const late = web.anonymous();
    late.setCookie('__Host-console', /__Host-console=([^;]+)/.exec(client.cookie)?.[1] ?? '');
    await client.authenticate('/sign-in/again?return=/accounts', person.id);
    expect(client.cookie).not.toContain(late.cookie);
    const keys = `/a/${account.accountId}/keys`;
    expect(await late.get(keys)).toMatchObject({ status: 200 });
    expect(await late.submit(keys, keys, { name: 'Late' })).toMatchObject({ status: 403 });
    await client.submit('/accounts', '/sign-out');
    expect(await late.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('does not complete a sign-in that began before a sign-out everywhere', async () => {
    const { client, person } = await adminOf('in-flight');
    const thief = web.anonymous();
    const url = await begin(thief);
    await client.submit('/accounts', '/sign-out/everywhere');
    expect(await thief.authenticate(url.href, person.id)).toMatchObject({ status: 400 });
    expect(await thief.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('ends the sessions of one user on all devices with sign-out everywhere', async () => {
    const { client, person, account } = await adminOf('two-devices');
    const other = await web.signIn(person);
    const { client: bystander } = await adminOf('unaffected');
    expect(await client.submit('/accounts', '/sign-out/everywhere')).toMatchObject({ status: 200 });
    for (const each of [client, other]) expect(await each.get('/accounts')).toMatchObject({ status: 303 });
    expect(await bystander.get('/accounts')).toMatchObject({ status: 200 });
    const { entries } = await operator.admin.listAudit({ account_id: account.accountId, action: 'sign-out' }, CALL);
    expect(entries).toHaveLength(1);
  });

  it('tells when the session ends, and extends it without another page', async () => {
    const { client } = await adminOf('slow');
    const page = await client.get('/accounts');
    expect(page.text).toMatch(/id="session"[^>]*data-seconds="1800"/);
    expect(page.text).toMatch(/You will be signed out at \d\d:\d\d UTC/);
    expect((await client.get('/session')).text).toMatch(/^<div id="session"/);
    expect(await web.anonymous().get('/session')).toMatchObject({ status: 303 });
  });

  it('ends the session when the user signs out at the provider', async () => {
    const { client } = await adminOf('leaves-provider');
    const page = await client.get(`${web.provider.issuer}/session/end`);
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    await client.post(`${web.provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' });
    expect(await client.get('/accounts')).toMatchObject({ status: 303 });
  });

  it('ignores a logout token that the provider has not signed', async () => {
    const { client } = await adminOf('stays');
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      iss: web.provider.issuer,
      aud: 'console',
      sub: 'stays',
      iat: Math.floor(Date.now() / 1_000),
      jti: 'x',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    };
    const body = `${part({ alg: 'HS256' })}.${part(claims)}`;
    for (const token of [
      `${part({ alg: 'none' })}.${part(claims)}.`,
      `${body}.${createHmac('sha256', 'x').update(body).digest('base64url')}`,
      '',
    ])
      expect(await client.post('/sign-out/back-channel', { logout_token: token })).toMatchObject({ status: 400 });
    expect(await client.get('/accounts')).toMatchObject({ status: 200 });
  });
});

describe('what is stored', () => {
  it('keeps no session id, address or secret in the clear in Redis', async () => {
    const redis = new Redis(stack.redisUrl);
    const id = /__Host-console=([^;]+)/.exec(one.client.cookie)?.[1] ?? '';
    expect(id).toMatch(/^[\w-]{43}\.[\w-]{43}$/);
    const dump: string[] = [];
    for (const key of await redis.keys('console:*')) {
      const type = await redis.type(key);
      const values = type === 'hash' ? Object.values(await redis.hgetallBuffer(key)) : [await redis.getBuffer(key)];
      dump.push(key, ...values.map((value) => value?.toString('latin1') ?? ''));
    }
    redis.disconnect();
    const text = dump.join('\n');
    for (const secret of [...id.split('.'), one.person.email, '"formSecret"']) expect(text).not.toContain(secret);
  });

  it('opens sealed values under the keys that are known, and nothing that was changed or moved', () => {
    const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const sealed = createSeal([a]).seal('name', { x: 1 });
    expect(createSeal([b, a]).open('name', sealed)).toEqual({ x: 1 });
    expect(createSeal([b]).open('name', sealed)).toBeUndefined();
    expect(createSeal([a]).open('other', sealed)).toBeUndefined();
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    expect(createSeal([a]).open('name', sealed)).toBeUndefined();
  });
});

describe('names set by clients', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onfocus='alert(1)",
    '</textarea><b>',
    '{{7*7}}',
  ];

  it('shows attribute, topic, key and employee names as text on every page', async () => {
    const { account, record, client } = await adminOf('hostile');
    const people = hostile.map((name, index) => R(index + 1, { import_id: name, firstname: name, lastname: name, role: 'Boss' }));
    const fine = hostile.map((name, index) =>
      R(index + 10, { firstname: name, role: 'Admin', attributes: [{ name: `a${index}${name}`, value: { name } }] }),
    );
    const { importUuid } = await importAndWait(account, [record, ...records(1, 3), ...people.slice(3), ...fine]);
    const at = (path: string): string => `/a/${account.accountId}${path}`;
    for (const name of hostile) {
      await client.submit(at('/topics'), at('/topics'), { name });
      await client.submit(at('/keys'), at('/keys'), { name });
    }
    const topic = /\/topics\/(\d+)"/.exec((await client.get(at('/topics'))).text)?.[1] ?? '';
    const pages = [
      '/',
      '/integration',
      '/keys',
      '/attributes',
      '/topics',
      `/topics/${topic}`,
      '/settings',
      '/guard',
      '/admins',
      '/audit',
      `/imports/${importUuid}`,
    ];
    const queries = hostile.map((name) => `/audit?actor=${encodeURIComponent(name)}`);
    for (const path of [...pages, ...queries]) {
      const { text, status } = await client.get(at(path));
      expect(status).toBe(200);
      for (const name of hostile.slice(0, 4)) expect(text).not.toContain(name);
      // Outside of quoted values.
      expect(text.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<img|<[a-z]+[^>]*\son\w+=/i);
    }
  });

  it('writes no formula into CSV and no foreign address into a link', () => {
    for (const formula of ['=1+1', ';=1+1', '＝1+1', '\n=1+1', ' =1+1', '"=1+1', 'a\t@x', 'a\n-1'])
      expect(csvLine([formula])).not.toMatch(/(^|[;\t\n])[\s"]*[=＝@-]/);
    expect(csvLine(['a, -1', "O'Neil"])).toBe(`"a, -1",O'Neil\r\n`);
    const cells = property(string(), (value) => value === '' || !/^"?[=+\-@\t\r\n＝＋－＠]/.test(csvLine([value])));
    const links = property(string(), (path) => /^(\/(?![/\\])|[#?])/.test(href(path)));
    expect(() => assert(cells)).not.toThrow();
    expect(() => assert(links)).not.toThrow();
  });
});
