import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/api.ts';
import { startFileStack } from '../support/file-stack.ts';
import { R } from '../support/records.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { surveyctlAt } from '../support/surveyctl.ts';
import { onDay } from '../support/year-log.ts';

// What a key may read, and for how long (docs/rules/authentication.md).
const smtp = await startSmtpServer(0, () => 'none');
const { api, db, operator, stack, importAndWait } = await startFileStack({
  'import-reconciler': {
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    CONSOLE_URL: 'https://console.example.com',
    MAIL_RETRY_INITIAL_SECONDS: '0.1',
  },
});
const surveyctl = surveyctlAt(stack);
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 5_000 };
const DAY_MS = 86_400_000;
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

const SCOPES = ['read', 'read:scores', 'read:texts', 'read:employees', 'employees:write'];
const PERIOD = 'period_from=2024-01-01T00:00:00Z&period_to=2024-02-01T00:00:00Z';
// The scope that a 403 of the endpoint names, or any.
const ENDPOINTS: [string, string][] = [
  ['GET /v1/employees', 'read:employees'],
  ['GET /v1/survey_assignments', 'read:employees'],
  ['GET /v1/initiatives', 'read:employees'],
  [`GET /v1/scores?question_ids=1&${PERIOD}`, 'read:scores'],
  ['GET /v1/text_responses', 'read:texts'],
  ['GET /v1/surveys', 'any'],
  ['GET /v1/survey_cycles', 'any'],
  ['GET /v1/questions', 'any'],
  ['GET /v1/attributes', 'any'],
  ['GET /v1/attributes/1/options', 'any'],
  ['POST /v1/employees/imports', 'employees:write'],
];

describe.each(SCOPES)('a key with the scope %s', async (scope) => {
  const { accountId } = await operator.createAccount();
  const { key } = await operator.admin.createKey({ account_id: accountId, scope }, AS_OPERATOR);
  const call = (method: string, path: string) =>
    method === 'POST' ? api.post(path, { employees: [] }, key) : api.send(method, path, { 'x-api-key': key });

  const isAllowed = (needed: string): boolean =>
    needed === 'any' || needed === scope || scope === 'employees:write' || (scope === 'read' && needed !== 'employees:write');
  const open = ENDPOINTS.filter(([, needed]) => isAllowed(needed)).map(([endpoint]) => endpoint);
  const closed = ENDPOINTS.filter(([, needed]) => !isAllowed(needed));

  it.each(open)('may call %s [AUTH-SCOPE-2, AUTH-SCOPE-3, AUTH-SCOPE-4]', async (endpoint) => {
    const [method = '', path = ''] = endpoint.split(' ');
    expect([200, 400, 404]).toContain((await call(method, path)).status);
    expect((await call(method, `${path.split('?')[0]}?nope=1`)).status).toBe(400);
  });

  it.each(closed)(
    'gets 403 from %s, before its parameters are checked [AUTH-SCOPE-1, AUTH-SCOPE-5]',
    async (endpoint, needed) => {
      const [method = '', path = ''] = endpoint.split(' ');
      for (const query of ['', '?nope=1']) {
        const response = await call(method, `${path.split('?')[0]}${query}`);
        expect(expectProblem(response, 403).detail).toContain(`the scope ${needed},`);
      }
      const url = `http://${stack.services.gateway.address}${path}`;
      const head = await fetch(url, { method: 'HEAD', headers: { 'x-api-key': key } });
      expect(head.status).toBe(method === 'GET' ? 403 : 405);
    },
  );
});

it('knows every endpoint of the document, and the scopes that it lists', async () => {
  const { paths } = (await api.get('/openapi.json')).body as {
    paths: Record<string, Record<string, { security: Record<string, string[]>[] }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => [
      `${method.toUpperCase()} ${path.replace('{attribute_id}', '1')}`,
      security.flatMap((one) => Object.values(one).flat()).toSorted((a, b) => a.localeCompare(b)),
    ]),
  );
  const scopesOf = (needed: string): string[] => {
    if (needed === 'any') return SCOPES;
    return needed === 'employees:write' ? [needed] : [needed, 'read', 'employees:write'];
  };
  const expected = ENDPOINTS.map(([endpoint, needed]) => [
    endpoint.replace(/\?.*/, ''),
    scopesOf(needed).toSorted((a, b) => a.localeCompare(b)),
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected));
});

// Without the time zone of the session, which Citus rejects.
const earlier = (column: string, days: number): string =>
  `${column} = (${column} at time zone 'UTC' - interval '${days} days') at time zone 'UTC'`;

describe('a key with a last day', () => {
  it('is created by surveyctl, and its successor has the same scope and lifetime [AUTH-EXPIRY-1]', async () => {
    const { accountId } = await operator.createAccount();
    const account = ['--account', String(accountId)];
    const create = [
      'key',
      'create',
      ...account,
      '--scope',
      'read:scores',
      '--name',
      'Dashboard',
      '--expires-on',
      dayIn(30),
      '--json',
    ];
    const { key_id } = JSON.parse((await surveyctl(create)).stdout) as { key_id: string };
    const expiresAt = `${dayIn(31)}T00:00:00.000Z`;
    const { keys } = await operator.admin.listKeys({ account_id: accountId }, AS_OPERATOR);
    const created = keys.find((each) => each.key_id === key_id);
    expect(created).toMatchObject({ scope: 'read:scores', name: 'Dashboard' });
    for (const end of [created?.expires_at, created?.ends_at]) expect(new Date(String(end)).toISOString()).toBe(expiresAt);

    await db.query(`update admin.api_key set ${earlier('created_at', 9)} where key_id = $1`, [key_id]);
    const rotated = await surveyctl(['key', 'rotate', ...account, '--key-id', key_id, '--grace', '7d', '--json']);
    const { key_id: successor } = JSON.parse(rotated.stdout) as { key_id: string };
    const after = await operator.admin.listKeys({ account_id: accountId }, AS_OPERATOR);
    const made = after.keys.find((each) => each.key_id === successor);
    expect(made).toMatchObject({ scope: 'read:scores', name: 'Dashboard' });
    expect(new Date(String(made?.expires_at)).toISOString()).toBe(`${dayIn(40)}T00:00:00.000Z`);
  });

  it('has a successor even if it was to last until the end of time [AUTH-EXPIRY-1]', async () => {
    const { accountId: account_id } = await operator.createAccount();
    const create = { account_id, scope: 'read', name: 'Forever', expires_on: '9999-12-31' };
    const { key_id } = await operator.admin.createKey(create, AS_OPERATOR);
    await db.query(`update admin.api_key set ${earlier('created_at', 9)} where key_id = $1`, [key_id]);
    await operator.admin.rotateKey({ account_id, key_id, grace_seconds: 0 }, AS_OPERATOR);
    const { keys } = await operator.admin.listKeys({ account_id }, AS_OPERATOR);
    const ends = keys.filter(({ name }) => name === 'Forever').map(({ expires_at }) => expires_at);
    expect(ends).toEqual(Array.from({ length: 2 }, () => expect.stringMatching(/^9999-12-31T23:59:59/)));
  });

  it('ends on a gateway that had cached it, with a reason of its own [AUTH-KEY-3, AUTH-EXPIRY-1]', async () => {
    const { accountId, readKey } = await operator.createAccount();
    const { key_id, key } = await operator.admin.createKey(
      { account_id: accountId, scope: 'read:employees', expires_on: dayIn(0) },
      AS_OPERATOR,
    );
    expect(await api.get('/v1/employees', key)).toMatchObject({ status: 200 });
    // Nothing is published, as when a gateway's bus is away.
    await db.query('update admin.api_key set ends_at = now(), expires_at = now() where key_id = $1', [key_id]);
    await expect.poll(async () => (await api.get('/v1/employees', key)).status, { timeout: 10_000, interval: 200 }).toBe(401);
    const response = await api.get('/v1/employees', key);
    expect(expectProblem(response, 401).detail).toContain('The API key has expired.');
    onDay(365, 'the last day of an API key is over: 401 says so, also by a gateway whose bus is away');
    expect(response.headers.get('www-authenticate')).toBe('ApiKey header="X-Api-Key"');
    await operator.admin.revokeKey({ account_id: accountId, key_id }, AS_OPERATOR);
    await expect.poll(async () => expectProblem(await api.get('/v1/employees', key), 401).detail).toContain('no valid API key');
    expect(await api.get('/v1/employees', readKey)).toMatchObject({ status: 200 });
  });

  it.each([
    ['of the past', dayIn(-1), 'today or later'],
    ['that does not exist', '2027-02-30', 'must be a day'],
    ['in another form', '31.03.2027', 'must be a day'],
    ['later than the account allows', dayIn(91), 'at most 90 days'],
  ])('is not created with a day %s [AUTH-EXPIRY-1]', async (_, expires_on, message) => {
    const { accountId: account_id } = await operator.createAccount();
    await operator.admin.setSettings({ account_id, max_key_days: 90, masking_categories: null }, AS_OPERATOR);
    const creation = operator.admin.createKey({ account_id, scope: 'read', expires_on }, AS_OPERATOR);
    await expect(creation).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(message) });
  });

  it('is what an account with a maximum creates by default, and keys that exist keep their end [AUTH-EXPIRY-1]', async () => {
    const { accountId: account_id, readKey } = await operator.createAccount();
    const shown = await surveyctl(['settings', 'set', '--account', String(account_id), '--max-key-days', '90', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ max_key_days: 90 });
    const { key_id } = await operator.admin.createKey({ account_id, scope: 'read' }, AS_OPERATOR);
    const { keys } = await operator.admin.listKeys({ account_id }, AS_OPERATOR);
    expect(keys.find((each) => each.key_id === key_id)?.expires_at).toMatch(`${dayIn(91)}T00:00:00`);
    expect(keys.filter(({ expires_at }) => expires_at != null)).toHaveLength(1);
    expect(await api.get('/v1/employees', readKey)).toMatchObject({ status: 200 });
    await expect(
      operator.admin.setSettings({ account_id, max_key_days: 3_651, masking_categories: null }, AS_OPERATOR),
    ).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('the mail before a key expires', () => {
  const look = (accountId: number) =>
    db.query("insert into imports.due (account_id, kind) values ($1, 'key-expiry-mail') on conflict do nothing", [accountId]);
  const mailsTo = (email: string) => smtp.taken.filter(({ recipients }) => recipients.includes(email)).map(({ text }) => text);

  it('is sent once to each admin, two weeks before, and not about replaced or revoked keys [AUTH-EXPIRY-2]', async () => {
    const account = await operator.createAccount();
    const { accountId: account_id } = account;
    const email = `admin-${account_id}@example.com`;
    await importAndWait(account, [{ ...R(1), email, role: 'Admin' }]);
    const create = (name: string, days: number) =>
      operator.admin.createKey({ account_id, scope: 'read:scores', name, expires_on: dayIn(days) }, AS_OPERATOR);
    await create('Later', 60);
    const soon = await create('Dashboard', 60);
    const revoked = await create('Revoked', 60);
    const replaced = await create('Replaced', 60);
    await operator.admin.revokeKey({ account_id, key_id: revoked.key_id }, AS_OPERATOR);
    await db.query(
      `update admin.api_key set ${earlier('created_at', 47)}, ${earlier('expires_at', 47)},
         ${earlier('ends_at', 47)}
       where key_id = any($1)`,
      [[soon, revoked, replaced].map(({ key_id }) => key_id)],
    );
    await operator.admin.rotateKey({ account_id, key_id: replaced.key_id, grace_seconds: 604_800 }, AS_OPERATOR);
    await look(account_id);
    await expect.poll(() => mailsTo(email).length, { timeout: 10_000 }).toBe(1);
    const [mail = ''] = mailsTo(email);
    expect(mail).toMatch(/^subject: API-Schl|^subject: =\?UTF-8/im);
    expect(mail).toContain(`console.example.com/a/${account_id}/keys`);

    await look(account_id);
    await expect
      .poll(
        async () =>
          (await db.query("select from imports.due where account_id = $1 and kind = 'key-expiry-mail'", [account_id])).rowCount,
      )
      .toBe(0);
    const { rows } = await db.query('select key_id, sent_to from imports.mail where account_id = $1 and key_id is not null', [
      account_id,
    ]);
    expect(rows).toEqual([{ key_id: soon.key_id, sent_to: [] }]);
    expect(mailsTo(email)).toHaveLength(1);
  });

  it('comes at half of a short life, unless the account has switched it off [AUTH-EXPIRY-2]', async () => {
    const { accountId: account_id } = await operator.createAccount();
    const { key_id } = await operator.admin.createKey({ account_id, scope: 'read', expires_on: dayIn(8) }, AS_OPERATOR);
    const due = async () => (await db.query('select from imports.keys_to_remind_of() where key_id = $1', [key_id])).rowCount;
    expect(await due()).toBe(0);
    await db.query(
      `update admin.api_key set ${earlier('created_at', 5)}, ${earlier('ends_at', 5)},
         ${earlier('expires_at', 5)}
       where key_id = $1`,
      [key_id],
    );
    expect(await due()).toBe(1);
    await operator.admin.setSettings(
      { account_id, masking_categories: null, notices_off: { kinds: ['key_expiry'] } },
      AS_OPERATOR,
    );
    expect(await due()).toBe(0);
    await operator.admin.setSettings({ account_id, masking_categories: null, notices_off: { kinds: [] } }, AS_OPERATOR);
    expect(await due()).toBe(1);
  });
});
