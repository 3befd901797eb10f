import { gzipSync } from 'node:zlib';
import { addKeyUsage } from '@survey/gateway/keys/key-usage.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { startTestConsole } from '../support/console.ts';
import { type ConsoleClient, hiddenFields } from '../support/console-client.ts';
import { shareStack } from '../support/file-stack.ts';
import { R, records } from '../support/records.ts';

// The web console with the real services, through a client without script.
const { stack, api, operator, db, importAndWait } = await shareStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());

const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };
let people = 0;

/** A connected account with employees, and its Admin signed in to the console. */
async function signedInAdmin(employees: readonly unknown[] = records(1, 9)) {
  const account = await operator.createAccount();
  await web.bind(account.accountId);
  people += 1;
  const admin = { id: `admin-${people}`, name: 'Admin', email: `admin-${people}@x.io` };
  const adminRecord = R(0, { email: admin.email, role: 'Admin' });
  expect(await importAndWait(account, [adminRecord, ...employees])).toMatchObject({ state: 'applied' });
  const client = await web.signIn(admin);
  const at = (path: string): string => `/a/${account.accountId}${path}`;
  return { account, admin, adminRecord, client, at };
}

const shownKey = (text: string): string => /<output[^>]*>([^<]+)<\/output/.exec(text)?.[1]?.trim() ?? 'no key';

describe('every page', () => {
  it.each([
    '/',
    '/integration',
    '/imports',
    '/dry-run',
    '/keys',
    '/attributes',
    '/topics',
    '/withheld',
    '/settings',
    '/guard',
    '/admins',
    '/audit',
  ])('returns %s whole in English and German within 60 KiB', async (path) => {
    const { client, at } = await signedInAdmin();
    // On a busy machine, a part may take too long, and is left out.
    const parts = async (): Promise<string> => (await client.get(at(path))).text;
    await expect.poll(parts).not.toContain('could not be loaded');
    const page = await client.get(at(path));
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('<html lang="en">');
    expect(page.text).not.toMatch(/undefined|NaN|\[object/);
    expect(Buffer.byteLength(page.text)).toBeLessThan(60 * 1024);
    const german = await client.get(at(path), { 'Accept-Language': 'de' });
    expect(german.text).toContain('<html lang="de">');
  });
});

describe('overview', () => {
  it('says in one sentence whether all is well, and what came and comes', async () => {
    const { account, adminRecord, client, at } = await signedInAdmin();
    const first = await client.get(at('/'));
    expect(first.text).toContain('<h1>Everything is in order</h1>');
    expect(first.text).toContain('a snapshot of 10 people; 10 created.');
    expect(first.text).toContain('First steps');
    for (let night = 0; night < 7; night += 1)
      expect(await importAndWait(account, [adminRecord, ...records(1, 9)])).toMatchObject({ state: 'applied' });
    await db.query(
      `update imports.import i set accepted_at = i.accepted_at - n.ago * interval '1 day' from (
         select import_uuid, row_number() over (order by accepted_at desc) - 1 as ago from imports.import where account_id = $1) n
       where n.import_uuid = i.import_uuid and account_id = $1`,
      [account.accountId],
    );
    const later = await client.get(at('/'));
    expect(later.text).toMatch(/a snapshot of 10 people; nothing changed\. The next import is expected around/);
    expect(later.text).toContain('class="plot"');
    expect(later.text).not.toContain('First steps');
    // Six hours later than the usual time, which the next one still has.
    await db.query("update imports.import set accepted_at = accepted_at - interval '6 hours' where account_id = $1", [
      account.accountId,
    ]);
    await importAndWait(account, [adminRecord, ...records(1, 9)]);
    const extra = await client.get(at('/'));
    const inHours = (hours: number): string =>
      new Date(Date.now() + hours * 3_600_000).toLocaleString('en-GB', {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        timeZone: 'UTC',
      });
    expect([inHours(18), inHours(17.9)].some((hour) => extra.text.includes(`expected around ${hour}:`))).toBe(true);
    await importAndWait(account, [adminRecord, ...records(1, 8), R(9, { role: 'Boss' })]);
    expect((await client.get(at('/'))).text).toContain('<h1>One person was skipped</h1>');
    await db.query("update imports.import set accepted_at = accepted_at - interval '2 days' where account_id = $1", [
      account.accountId,
    ]);
    expect((await client.get(at('/'))).text).toContain('<h1>No import has arrived recently</h1>');
  });
});

describe('integration', () => {
  it('connects, shows the import key once, changes the threshold and disconnects', async () => {
    const { account, client, at } = await signedInAdmin();
    await operator.disconnect(account.accountId);
    const connect = at('/integration/connect');
    expect(await client.submit(at('/integration'), connect, { threshold: '12.5', language: 'de' })).toMatchObject({
      status: 303,
    });
    const { keys } = await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    for (const { key_id } of keys) await operator.admin.revokeKey({ account_id: account.accountId, key_id }, AS_OPERATOR);
    const keyAndLanguage = { action: 'key', threshold: '12.5', language: 'fr', 'on-return': 'keep' };
    const made = await client.submit(at('/integration'), at('/integration'), keyAndLanguage);
    expect((await client.get(at('/integration'))).text).toMatch(/value="fr"\s+selected/);
    const key = shownKey(made.text);
    expect(await api.post('/v1/employees/imports', { employees: records(1, 3) }, key)).toMatchObject({ status: 202 });
    expect((await client.get(at('/integration'))).text).not.toContain(key);
    const wrong = await client.submit(at('/integration'), at('/integration'), { threshold: '120', language: 'de' });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.text).toContain('Enter a percentage from 0 to 100');
    expect(wrong.text).toContain('value="120"');
    for (const threshold of ['0', '100.0']) {
      const extreme = { threshold, language: 'fr' };
      const asked = await client.submit(at('/integration'), at('/integration'), extreme);
      expect(asked.text).toMatch(/Not saved yet[^]*At (?:0|100)%, /);
      expect((await client.get(at('/integration'))).text).not.toContain(`value="${Number(threshold)}"`);
      const again = { ...hiddenFields(asked.text, at('/integration')), ...extreme };
      expect(await client.post(at('/integration'), again)).toMatchObject({ status: 303 });
    }
    const typed = await client.submit(at('/integration/disconnect'), at('/integration/disconnect'), { confirm: 'Tes' });
    expect(typed).toMatchObject({ status: 422 });
    const done = await client.submit(at('/integration/disconnect'), at('/integration/disconnect'), { confirm: 'Test' });
    expect(done).toMatchObject({ status: 303, location: at('/integration?done=disconnected') });
    expect(await api.post('/v1/employees/imports', { employees: [] }, key)).toMatchObject({ status: 404 });
  });

  it('reads 12,5 as 12.5 in German, offers the languages of surveys and its own, and rejects a change of a threshold that changed meanwhile', async () => {
    const { account, client, at } = await signedInAdmin();
    const german = { 'Accept-Language': 'de' };
    await db.query(
      `insert into export.survey (account_id, id, revision, digest, name, frequency, created_at, is_archived, is_deactivated,
         access_employee_ids, access_import_ids, survey_properties, timezone)
       select $1, id, 1, '', name, 'once', now(), id = 2, false, '{}', '{}', '{}', 'UTC'
       from (values (1, '{"en": "Pulse", "fr": "Pouls"}'::jsonb), (2, '{"it": "Polso"}')) s (id, name)`,
      [account.accountId],
    );
    const page = await client.get(at('/integration'), german);
    const offered = /<select id="language"[^]*?<\/select>/.exec(page.text)?.[0] ?? '';
    expect([...offered.matchAll(/value="(\w+)"/g)].map(([, code]) => code)).toEqual(['de', 'en', 'fr']);
    const token = /action="[^"]*\/integration">\s*<input type="hidden" name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const fields = { token, expected: '20', threshold: '12,5', language: 'de' };
    expect(await client.post(at('/integration'), fields, german)).toMatchObject({ status: 303 });
    const { deletion_threshold } = await operator.admin.showIntegration({ account_id: account.accountId }, AS_OPERATOR);
    expect(deletion_threshold).toBe('12.5');
    for (const language of ['x y', '<b>', '\u202e', ''])
      expect(await client.post(at('/integration'), { ...fields, language })).toMatchObject({ status: 422 });
    const late = await client.post(at('/integration'), { ...fields, threshold: '30' });
    expect(late.text).toContain('The threshold is 12.5 now; it was 20 when you opened the page.');
  });

  it('saves only what was changed on the page, and does not connect again what another admin has disconnected', async () => {
    const { account, client, at } = await signedInAdmin();
    const { accountId: account_id } = account;
    const read = () => operator.admin.showIntegration({ account_id }, AS_OPERATOR);
    const opened = hiddenFields((await client.get(at('/integration'))).text, at('/integration'));
    const typed = { ...opened, threshold: '20', language: 'de', 'on-return': 'keep' };
    await operator.admin.connectIntegration({ account_id, default_language: 'fr', on_return: 'reset' }, AS_OPERATOR);
    expect(await client.post(at('/integration'), { ...typed, threshold: '25' })).toMatchObject({ status: 303 });
    expect(await read()).toMatchObject({ deletion_threshold: '25', default_language: 'fr', on_return: 'reset' });
    const late = { ...typed, expected: '25', threshold: '25', language: 'nl' };
    expect((await client.post(at('/integration'), late)).text).toContain('Somebody else has changed this to: fr.');
    await operator.disconnect(account_id);
    const stale = await client.post(at('/integration'), { ...typed, expected: '25', threshold: '30' });
    expect(stale).toMatchObject({ status: 422, text: expect.stringContaining('It has changed since you opened the page.') });
    expect(await read()).toMatchObject({ connected: false, deletion_threshold: '25' });
  });
});

const snapshot = (employees: readonly unknown[]): string => JSON.stringify({ employees });

const tokenOf = (page: string): string => /name="token" value="([^"]+)"/.exec(page.slice(page.indexOf('multipart')))?.[1] ?? '';

async function dryRun(
  client: ConsoleClient,
  at: (path: string) => string,
  body: string | Uint8Array<ArrayBuffer>,
  path = '/dry-run',
  name = 'snapshot.json',
) {
  const page = await client.get(at('/dry-run'));
  const form = new FormData();
  form.set('token', tokenOf(page.text));
  form.set('snapshot', new Blob([body]), name);
  return client.post(at(path), form);
}

const field = (name: string, more = ''): string => `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;

describe('imports', () => {
  it('shows who was skipped and why, filters, and downloads them as CSV without formulas', async () => {
    const { account, adminRecord, client, at } = await signedInAdmin();
    const outcome = await importAndWait(account, [
      adminRecord,
      ...records(1, 7),
      R(8, { role: 'Boss' }),
      R(9),
      R(10, { import_id: '=cmd', attributes: [{ name: 'Seniority', value: { name: '19' } }] }),
    ]);
    const path = at(`/imports/${outcome.importUuid}`);
    const page = await client.get(path);
    expect(page.text).toContain('The role must be Admin, Manager, Analyst');
    expect(page.text).toContain('Sent with the key eng_live_w_');
    expect(page.text).toContain('/employees/8/role');
    expect((await client.get(`${path}?code=role_unknown`)).text).not.toContain('=cmd');
    expect((await client.get(`${path}?q=E8`)).text).toContain('1 of 1');
    const csv = await client.get(`${path}/records.csv`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text).toContain('role_unknown');
    expect(csv.text).toContain("'=cmd");
    expect(csv.text).not.toMatch(/(^|,)=cmd/m);
    expect((await client.get(at('/audit'))).text).toContain('File downloaded');
  });

  it('says which fields an import changed, and a dry run would change, also in the CSV', async () => {
    const { account, adminRecord, client, at } = await signedInAdmin(records(1, 5));
    const [first, ...others] = records(1, 5);
    const changed = { ...first, lastname: 'Changed', attributes: [{ name: 'Site', value: { name: 'Lyon' } }] };
    const sent = await dryRun(client, at, snapshot([adminRecord, changed, ...others]));
    const tried = await client.get(`${sent.location ?? ''}?show=updated`);
    const outcome = await importAndWait(account, [adminRecord, changed, ...others]);
    const path = at(`/imports/${outcome.importUuid}`);
    for (const { text } of [tried, await client.get(path)]) expect(text).toMatch(/<td[^>]*>\s*last name, attributes\s*<\/td>/);
    expect((await client.get(`${path}/records.csv`)).text).toContain('lastname attributes');
  });

  it('allows an import once that the deletion threshold cancelled, after the number and a reason were typed', async () => {
    const site = { attributes: [{ name: 'Location', value: { name: 'Lyon' } }] };
    const { account, adminRecord, client, at } = await signedInAdmin([
      ...records(1, 5),
      R(6, site),
      R(7, site),
      R(8, site),
      R(9, site),
    ]);
    const outcome = await importAndWait(account, [adminRecord, ...records(1, 5)]);
    expect(outcome).toMatchObject({ state: 'cancelled' });
    expect((await client.get(at('/'))).text).toContain('it would have offboarded 4 of 10 employees (40%, the limit is 20%)');
    const path = at(`/imports/${outcome.importUuid}`);
    const page = await client.get(path);
    expect(page.text).toContain('<bdi>Location</bdi>: <bdi>Lyon</bdi>');
    expect(page.text).toContain('Almost everybody with “Lyon” is missing');
    for (const id of ['E6', 'E7', 'E8', 'E9']) expect(page.text).toContain(id);
    const wrong = await client.submit(path, `${path}/allow`, { confirm: '5', reason: 'site sold' });
    expect(wrong).toMatchObject({ status: 422 });
    expect(wrong.text).toContain('That is not 4. Nothing was changed.');
    expect(await client.submit(path, `${path}/allow`, { confirm: '4', reason: '' })).toMatchObject({ status: 422 });
    const done = await client.submit(path, `${path}/allow`, { confirm: '4.', reason: 'site sold' });
    expect(done).toMatchObject({ status: 303 });
    const next = /imports\/([0-9a-f-]{36})/.exec(done.location ?? '')?.[1] ?? '';
    expect(await operator.importEnded(account.accountId, next)).toMatchObject({ state: 'applied', counts: { offboarded: 4 } });
    expect((await client.get(at(`/imports/${next}`))).text).toMatch(/href="#who">4<[^]*id="who"[^]*>E9</);
    expect((await client.get(done.location ?? '')).text).toContain('The import was allowed once');
    expect((await client.get(at('/audit'))).text).toMatch(/import of: \d[^]*employees to offboard: 4<[^]*site sold/);
    const again = await client.get(path);
    expect(again.text).toMatch(
      /This import was allowed once and ran again:\s*<a href="\/a\/\d+\/imports\/[0-9a-f-]{36}">Import of/,
    );
    expect(again.text).not.toContain('its snapshot has been deleted');
  });

  it('answers 403 with the next click when an import takes the role of the signed-in admin', async () => {
    const { account, adminRecord, client, at } = await signedInAdmin();
    expect(await client.get(at('/keys'))).toMatchObject({ status: 200 });
    await importAndWait(account, [{ ...adminRecord, role: 'Respondee' }, ...records(1, 9)]);
    const page = await client.get(at('/keys'));
    expect(page).toMatchObject({ status: 403 });
    expect(page.text).toContain('You are no longer an admin of this account');
    expect(await client.get(at('/'))).toMatchObject({ status: 303, location: `/sign-in?return=${encodeURIComponent(at('/'))}` });
  });
});

describe('dry run', () => {
  it('takes a CSV file, and tells all faults at once by line and import_id', async () => {
    const { client, at, adminRecord } = await signedInAdmin();
    const head = 'import_id;email;firstname;lastname;role;Department';
    const line = (record: Record<string, unknown>, ...more: string[]): string =>
      ['import_id', 'email', 'firstname', 'lastname']
        .map((name) => String(record[name]))
        .concat(more)
        .join(';');
    const admin = line(adminRecord, 'Admin', 'HR');
    const csv = (...lines: string[]) => dryRun(client, at, [head, admin, ...lines].join('\r\n'), '/dry-run', 'employees.csv');
    const rejected = await csv('E2;e2@example.com;Bo;Li', 'E3;e3@example.com;;Li;;Sales', 'E4;e4@example.com;Cy;Li;;Sales');
    expect(rejected.status).toBe(422);
    expect(rejected.text).toMatch(/Line 3[^]*E2[^]*more or fewer cells/);
    expect(rejected.text).toMatch(/Line 4[^]*firstname[^]*E3[^]*The cell is empty/);
    expect((await dryRun(client, at, 'import_id,email\nE1,a@x.io', '/dry-run', 'a.csv')).text).toMatch(
      /lastname[^]*no such column/,
    );
    const others = records(1, 8).map((each) => line(each, '', ''));
    const sent = await csv(...others, 'E12;e12@example.com;Bo;Li;;Sales', 'E13;e13@example.com;"L;i";Li;Boss;');
    const result = await client.get(sent.location ?? '');
    expect(result.text).toMatch(/The role must be Admin, Manager, Analyst[^]*<code>Line 12 role</);
    expect((await client.get(`${sent.location}?show=created`)).text).toContain('E12');
    const twice = await client.get((await csv(...others, others[0] ?? '')).location ?? '');
    expect(twice.text).toContain('The same import_id appears twice: Line 3 and Line 11');
    const gzipped = new Uint8Array(gzipSync([head, admin, ...others].join('\r\n')));
    const packed = await dryRun(client, at, gzipped, '/dry-run', 'employees.csv.gz');
    expect((await client.get(packed.location ?? '')).text).toContain('It would be applied');
    const torn = await dryRun(client, at, gzipped.subarray(0, -20), '/dry-run', 'employees.csv.gz');
    expect(torn).toMatchObject({ status: 422 });
    expect(torn.text).toContain('cannot be decompressed');
  });

  it.each(['plain', 'gzip'])('shows what a %s snapshot would do and changes nothing', async (kind) => {
    const { account, adminRecord, client, at } = await signedInAdmin();
    const text = snapshot([adminRecord, ...records(1, 8), R(9, { role: 'Boss' }), R(10)]);
    const sent = await dryRun(client, at, kind === 'gzip' ? new Uint8Array(gzipSync(text)) : text);
    expect(sent).toMatchObject({ status: 303 });
    const result = await client.get(sent.location ?? '');
    expect(result.text).toContain('It would be applied');
    expect(result.text).toContain('The role must be Admin, Manager, Analyst');
    expect((await client.get(at('/audit'))).text).toContain('Applied, 11 records');
    const { imports } = await operator.admin.listImports({ account_id: account.accountId }, AS_OPERATOR);
    expect(imports).toHaveLength(1);
    const { client: other } = await signedInAdmin();
    expect(await other.get(sent.location ?? '')).toMatchObject({ status: 404 });
  });

  it('lists the field errors of a snapshot that the endpoint would reject', async () => {
    const { client, at } = await signedInAdmin();
    const rejected = await dryRun(client, at, snapshot([{ import_id: 'E1', nickname: 'x' }]));
    expect(rejected).toMatchObject({ status: 422 });
    expect(rejected.text).toContain('/employees/0/nickname');
  });

  it('runs one at a time for each account, and says so to the others', async () => {
    const { account, adminRecord, client, at } = await signedInAdmin();
    const changed = snapshot([adminRecord, R(1, { lastname: 'Changed' }), ...records(2, 9)]);
    const blocker = await db.connect();
    await blocker.query('begin');
    await blocker.query('select from imports.employee where account_id = $1 for update', [account.accountId]);
    const first = dryRun(client, at, changed);
    const started = async () => {
      const { rowCount } = await db.query('select from imports.upload where account_id = $1 and largest_record_bytes > 0', [
        account.accountId,
      ]);
      return rowCount;
    };
    await expect.poll(started).toBe(1);
    const others = await Promise.all(['/dry-run', '/dry-run.csv'].map((path) => dryRun(client, at, changed, path)));
    for (const other of others)
      expect(other).toMatchObject({ status: 422, text: expect.stringContaining('Another dry run is running') });
    expect(await started()).toBe(1);
    await blocker.query('rollback');
    blocker.release();
    expect(await first).toMatchObject({ status: 303 });
    for (let run = 0; run < 2; run += 1) expect((await dryRun(client, at, changed, '/dry-run.csv')).text).toContain('updated');
  });

  it.each(['/dry-run', '/dry-run.csv'])('ends an upload to %s with its session, and lets others run one', async (path) => {
    const { admin, adminRecord, client, at } = await signedInAdmin();
    const other = await web.signIn(admin);
    const token = tokenOf((await client.get(at('/dry-run'))).text);
    const text = snapshot([adminRecord, ...records(1, 8)]);
    const { promise: hasEnded, resolve: end } = Promise.withResolvers<void>();
    async function* slowly(): AsyncGenerator<Buffer> {
      yield Buffer.from(`${field('token')}${token}\r\n${field('snapshot', '; filename="s.json"')}${text.slice(0, 100)}`);
      await hasEnded;
      yield Buffer.from(`${text.slice(100)}\r\n--b--\r\n`);
    }
    const headers = { cookie: client.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'multipart/form-data; boundary=b' };
    const body = ReadableStream.from(slowly());
    const answer = fetch(new URL(at(path), web.url), { method: 'POST', redirect: 'manual', headers, body, duplex: 'half' });
    expect((await client.submit('/accounts', '/sign-out')).status).toBe(200);
    expect((await answer).status).toBe(403);
    expect(await dryRun(other, at, text)).toMatchObject({ status: 303 });
    end();
  });

  it('says what to do with an empty file and a workbook', async () => {
    const { client, at } = await signedInAdmin();
    expect((await dryRun(client, at, '')).text).toContain('The file is empty');
    expect((await dryRun(client, at, 'PK\u0003\u0004[Content_Types].xml')).text).toContain('Save its sheet as CSV');
    // A form that breaks off in its file still ends, so that the next dry run is not kept waiting.
    const token = tokenOf((await client.get(at('/dry-run'))).text);
    const headers = { cookie: client.cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'multipart/form-data; boundary=b' };
    for (const part of ['', '{"employees":['])
      expect(
        await fetch(new URL(at('/dry-run'), web.url), {
          method: 'POST',
          headers,
          body: `${field('token')}${token}\r\n${field('snapshot', '; filename="s.json"')}${part}`,
          signal: AbortSignal.timeout(20_000),
        }),
      ).toMatchObject({ status: 422 });
    expect((await dryRun(client, at, '')).text).toContain('The file is empty');
  });

  it('lists first who is missing when it would be cancelled, and shows no counts', async () => {
    const { adminRecord, client, at } = await signedInAdmin();
    const sent = await dryRun(client, at, snapshot([adminRecord, ...records(1, 5)]));
    const { text } = await client.get(sent.location ?? '');
    expect(text).toMatch(/would be cancelled[^]*E9/);
    expect(text).not.toContain('Reactivated</dt>');
  });

  it('lists who would be offboarded', async () => {
    const { adminRecord, client, at } = await signedInAdmin();
    const sent = await dryRun(client, at, snapshot([adminRecord, ...records(1, 8)]));
    expect((await client.get(`${sent.location}?show=offboarded`)).text).toContain('E9');
    const csv = await dryRun(client, at, snapshot([adminRecord, ...records(1, 8)]), '/dry-run.csv');
    expect(csv.text).toContain('E9,offboarded');
  });
});

describe('API keys', () => {
  it('shows a new key once, lets it read, rotates it with a grace period and revokes it', async () => {
    const { account, admin, client, at } = await signedInAdmin();
    expect((await client.submit(at('/keys'), at('/keys'), { name: 'Power BI' })).text).toContain('Choose what the key can read');
    const made = await client.submit(at('/keys'), at('/keys'), { name: 'Power BI', scope: 'read' });
    const key = shownKey(made.text);
    // It would be lost on the way to the other language.
    expect(made.text).not.toContain('/language');
    expect((await client.get(at('/keys'))).text).toContain(`, ${admin.email}`);
    expect(await api.get('/v1/employees?limit=1', key)).toMatchObject({ status: 200 });
    for (const path of ['/keys', '/audit']) expect((await client.get(at(path))).text).not.toContain(key);
    expect((await client.submit(at('/keys'), at('/keys'), { name: 'power bi', scope: 'read' })).text).toContain('active already');
    const { keys } = await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    const old = keys.find(({ name }) => name === 'Power BI');
    const rotate = at(`/keys/${old?.key_id}/rotate`);
    const rotated = await client.submit(rotate, rotate, { grace: '86400' });
    const next = shownKey(rotated.text);
    for (const each of [key, next]) expect(await api.get('/v1/employees?limit=1', each)).toMatchObject({ status: 200 });
    expect((await client.get(at('/'))).text).toContain('The key “Power BI” ends');
    await db.query("update admin.api_key set ends_at = now() - interval '1 second' where key_id = $1", [old?.key_id]);
    await expect
      .poll(async () => (await api.get('/v1/employees?limit=1', key)).status, { timeout: 12_000, interval: 100 })
      .toBe(401);
    const usage = { account_id: account.accountId, key_id: old?.key_id ?? '', last_used_at: new Date().toISOString() };
    await addKeyUsage(db, [{ ...usage, succeeded: 9, rejected: 0, throttled: 0, failed: 0, deprecated: 7 }]);
    const page = (await client.get(at('/keys'))).text;
    expect([page.includes('Ended'), page.includes('7 requests to endpoints that will end')]).toEqual([true, true]);
    const current = (await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR)).keys.at(-1);
    // Its use, seconds ago, is not yet known.
    const revoke = at(`/keys/${current?.key_id}/revoke`);
    expect(await client.submit(revoke, revoke, { confirm: 'power' })).toMatchObject({ status: 422 });
    expect(await api.get('/v1/employees?limit=1', next)).toMatchObject({ status: 200 });
    expect(await client.submit(revoke, revoke, { confirm: 'Power BI' })).toMatchObject({ status: 303 });
  });

  it('gives a key a narrow scope and a last day, which the account can limit [AUTH-SCOPE-3, AUTH-EXPIRY-1]', async () => {
    const { account, client, at } = await signedInAdmin();
    const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const make = (fields: Record<string, string>) =>
      client.submit(at('/keys'), at('/keys'), { name: 'Dashboard', scope: 'read', ...fields });
    const key = shownKey((await make({ scope: 'read:scores', expires: dayIn(60) })).text);
    expect(await api.get('/v1/questions', key)).toMatchObject({ status: 200 });
    expect(await api.get('/v1/employees', key)).toMatchObject({ status: 403 });
    expect((await client.get(at('/keys'))).text).toMatch(/Dashboard[^]*read:scores[^]*Ends/);
    const limit = (max_days: string) => client.submit(at('/settings'), at('/settings'), { max_days });
    expect((await limit('none')).text).toContain('whole number of days');
    expect(await limit('30')).toMatchObject({ status: 303 });
    expect((await make({ name: 'Later', expires: dayIn(31) })).text).toContain('not later than the account allows');
    expect((await client.get(at('/keys'))).text).toMatch(new RegExp(`value="${dayIn(30)}"`));
    shownKey((await make({ name: 'Limited' })).text);
    const { keys } = await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    expect(keys.find(({ name }) => name === 'Limited')?.expires_at).toMatch(dayIn(31));
  });

  it('rejects the second use of a form, so that a reload makes no second key', async () => {
    const { account, client, at } = await signedInAdmin();
    const page = await client.get(at('/keys'));
    const form = page.text.slice(page.text.indexOf('id="new"'));
    const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]+)"/g)].map(
      ([, name = '', value = '']): [string, string] => [name, value],
    );
    const body = new URLSearchParams([...hidden, ['name', 'BI'], ['scope', 'read']]);
    expect(await client.post(at('/keys'), body)).toMatchObject({ status: 200 });
    const again = await client.post(at('/keys'), new URLSearchParams([...hidden, ['name', 'BI 2'], ['scope', 'read']]));
    expect(again).toMatchObject({ status: 409 });
    expect(again.text).toContain('This form has already been sent');
    const { keys } = await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    expect(keys.filter(({ name }) => name?.startsWith('BI'))).toHaveLength(1);
  });
});

describe('attributes, settings and topics', () => {
  const sites = ['Bonn', 'Köln', 'Lyon'].map((name, index) => R(index + 1, { attributes: [{ name: 'Site', value: { name } }] }));

  it('releases an identifying attribute only when its name is typed, and withdraws it', async () => {
    const { account, client, at } = await signedInAdmin(sites);
    const { attributes } = await operator.admin.listAttributes({ account_id: account.accountId }, AS_OPERATOR);
    const site = attributes.find(({ name }) => name === 'Site');
    expect(site).toMatchObject({ values: 3, employees: 3, rare_values: 3 });
    const release = at(`/attributes/${site?.attribute_id}/release`);
    expect((await client.get(release)).text).toMatch(/Bonn[^]*Köln[^]*Lyon[^]*3 of 3/);
    expect(await client.submit(release, release)).toMatchObject({ status: 422 });
    expect(await client.submit(release, release, { confirm: 'Site' })).toMatchObject({ status: 303 });
    expect(await api.get('/v1/attributes', account.readKey)).toMatchObject({ body: { total_count: 1 } });
    const withdraw = at(`/attributes/${site?.attribute_id}/withdraw`);
    expect(await client.submit(withdraw, withdraw)).toMatchObject({ status: 303 });
    expect(await api.get('/v1/attributes', account.readKey)).toMatchObject({ body: { total_count: 0 } });
  });

  it('merges a value only when its name is typed, after showing what follows, and renames one [ATTRIBUTES-MERGE-1]', async () => {
    const { account, client, at } = await signedInAdmin(sites);
    const { attributes } = await operator.admin.listAttributes({ account_id: account.accountId }, AS_OPERATOR);
    const values = at(`/attributes/${attributes.find(({ name }) => name === 'Site')?.attribute_id}/values`);
    const [bonn] = /values\/\d+/.exec((await client.get(`${values}?q=Bonn`)).text) ?? [''];
    const value = values.replace('values', bonn);
    expect(await client.submit(value, value, { name: ' ' })).toMatchObject({ status: 422 });
    const shown = await client.submit(value, value, { name: 'Lyon', old: 'mapped' });
    expect(shown.text).toContain('Merge “Bonn” into “Lyon”?');
    expect(shown.text).toContain('Employees who get the other value: 1.');
    const confirmed = { name: 'Lyon', old: 'mapped', merges: 'yes' };
    expect(await client.submit(value, value, { ...confirmed, confirm: 'Lyon' })).toMatchObject({ status: 422 });
    expect(await client.submit(value, value, { name: 'Lyon', merges: 'no' })).toMatchObject({ status: 422 });
    expect(await client.submit(value, value, { ...confirmed, confirm: 'Bonn' })).toMatchObject({ status: 303 });
    await expect.poll(async () => (await client.get(`${values}?q=Bonn`)).text).toContain('No value has this name.');
    expect((await client.get(values)).text).toContain('Imports may also send');
    expect((await client.get(`${values}?from=9007199254740991`)).status).toBe(200);
    const [lyon] = /values\/\d+/.exec((await client.get(`${values}?q=Lyon`)).text) ?? [''];
    const other = values.replace('values', lyon);
    const shownLyon = (await client.submit(other, other, { name: 'Lyon 3', old: 'mapped' })).text;
    expect(await client.submit(other, other, { name: 'Lyon 2', old: 'anew', merges: 'no' })).toMatchObject({ status: 303 });
    await expect.poll(async () => (await client.get(values)).text).toContain('Lyon 2');
    const late = await client.post(other, { ...hiddenFields(shownLyon, other), name: 'Lyon 3', merges: 'no' });
    expect(late).toMatchObject({ status: 422, text: expect.stringContaining('Somebody else has changed this to: Lyon 2.') });
  });

  it('masks at once, and asks for a typed word before it masks less', async () => {
    const { account, client, at } = await signedInAdmin();
    const { accountId: account_id } = account;
    const masking = at('/settings');
    const on = new URLSearchParams([
      ['masking', 'on'],
      ['category', 'name'],
      ['category', 'email'],
    ]);
    expect((await client.submit(at('/settings'), masking, on)).text).toContain('Masking is not part of your contract');
    await operator.admin.setSettings({ account_id, masking_entitled: true, masking_categories: null }, AS_OPERATOR);
    expect(await client.submit(at('/settings'), masking, on)).toMatchObject({ status: 303 });
    const show = () => operator.admin.showSettings({ account_id: account.accountId }, AS_OPERATOR);
    expect(await show()).toMatchObject({ masking: true, masking_categories: ['name', 'email'] });
    expect((await client.get(masking)).text).toContain('Only needed to mask less than now');
    const off = await client.submit(at('/settings'), masking, { masking: 'off', confirm: '' });
    expect(off).toMatchObject({ status: 422 });
    expect(off.text).toContain('That is not unmasked');
    expect(await show()).toMatchObject({ masking: true });
    expect(await client.submit(at('/settings'), masking, { masking: 'off', confirm: 'unmasked' })).toMatchObject({ status: 303 });
    expect(await show()).toMatchObject({ masking: false });
  });

  it('asks once for a decision about the disclosure guard, shows what follows, and never takes one click [GUARD-SETTING-1]', async () => {
    const { account, client, at } = await signedInAdmin();
    const settings = () => operator.admin.showSettings({ account_id: account.accountId }, AS_OPERATOR);
    expect((await client.get(at('/'))).text).toContain('Please decide on the disclosure guard');
    const decision = at('/guard/decision');
    const page = await client.get(decision);
    expect(page.text).toContain('Can reveal what a single person answered');
    expect(page.text).not.toMatch(/name="guard"[^>]*checked/);
    expect((await client.submit(decision, decision, { guard: 'strict' })).text).toContain('That is not strict');
    expect((await client.submit(decision, decision, { confirm: 'strict' })).text).toContain('Choose one of the two');
    expect(await settings()).toMatchObject({ disclosure_guard: 'off', guard_decided: false });
    expect(await client.submit(decision, decision, { guard: 'strict', confirm: 'strict' })).toMatchObject({ status: 303 });
    expect(await client.submit(at('/guard'), at('/guard'), { hours: '721' })).toMatchObject({ status: 422 });
    expect(await client.submit(at('/guard'), at('/guard'), { hours: '48' })).toMatchObject({ status: 303 });
    expect(await settings()).toMatchObject({ disclosure_guard: 'strict', guard_settling_hours: 48, guard_decided: true });
    expect((await client.get(at('/guard'))).text).toMatch(/<table>[^]*Strict/);
    expect((await client.get(at('/'))).text).not.toContain('Please decide on the disclosure guard');
  });

  it('does without the disclosure guard only with a typed word and a reason, which the audit log shows [GUARD-SETTING-1]', async () => {
    const { account, client, at } = await signedInAdmin();
    const decision = at('/guard/decision');
    const send = (given: Record<string, string>) => client.submit(decision, decision, given);
    expect((await send({ guard: 'off', confirm: 'off' })).text).toContain('That is not unguarded');
    expect((await send({ guard: 'off', confirm: 'unguarded', reason: 'no' })).text).toContain('3 to 200 characters');
    const settings = () => operator.admin.showSettings({ account_id: account.accountId }, AS_OPERATOR);
    expect(await settings()).toMatchObject({ guard_decided: false });
    expect(await send({ guard: 'off', confirm: 'unguarded', reason: 'works council, 12 May' })).toMatchObject({ status: 303 });
    expect(await settings()).toMatchObject({ disclosure_guard: 'off', guard_decided: true });
    expect((await client.get(at('/audit'))).text).toContain('works council, 12 May');
    const { settings: changes } = await operator.admin.reportAnonymity({ account_id: account.accountId }, AS_OPERATOR);
    expect(changes).toMatchObject([{ disclosure_guard: 'off' }]);
  });

  it('sets which mails about imports are sent and when a snapshot is expected, and keeps what was typed', async () => {
    const { account, client, at } = await signedInAdmin();
    const fields = new URLSearchParams([
      ['kind', 'cancelled'],
      ['schedule', 'daily'],
      ['hour', '6'],
    ]);
    expect(await client.submit(at('/settings'), at('/settings'), fields)).toMatchObject({ status: 303 });
    expect(await operator.admin.showSettings({ account_id: account.accountId }, AS_OPERATOR)).toMatchObject({
      notices_off: ['identity', 'late', 'key_expiry'],
      import_schedule: 'daily',
      import_schedule_hour: 6,
    });
    const page = await client.get(at('/settings'));
    expect(page.text).toMatch(/The next one is expected by\s+<time datetime="[^"]*T06:00:00/);
    expect(page.text).toMatch(/value="6"\s+selected/);
    const late = await client.post(at('/settings'), {
      token: /action="[^"]*settings"[^>]*>\s*<input type="hidden" name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? '',
      version: '0',
      schedule: 'weekly',
      hour: '7',
    });
    expect(late.status).toBe(422);
    expect(late.text).toMatch(/value="weekly"\s+selected/);
    expect(late.text).toMatch(/value="7"\s+selected/);
  });

  it('adds an address, which its owner confirms and ends by links without signing in [IMPORT-LIFECYCLE-MAIL-6]', async () => {
    const { account, client, at } = await signedInAdmin();
    const email = `hr-it-${account.accountId}@example.com`;
    const add = (address: string) => client.submit(at('/admins'), at('/admins/addresses'), { address, language: 'de' });
    expect((await add('a@x.io, b@x.io')).text).toContain('This is not an e-mail address');
    expect(await add(email)).toMatchObject({ status: 303, location: at('/admins?done=asked#addresses') });
    const [address] = (await operator.admin.showNotices({ account_id: account.accountId }, AS_OPERATOR)).addresses;
    expect(address).toMatchObject({ email, language: 'de', state: 'waiting' });
    const token = 'b'.repeat(43);
    await db.query(
      `insert into imports.mail (account_id, id, address_id, token_hashes, sent_at)
       select account_id, mail_id, id, array[sha256($3::text::bytea)], now() from admin.notice_address where account_id = $1 and id = $2
       on conflict (account_id, id) do update set token_hashes = excluded.token_hashes`,
      [account.accountId, address?.id, token],
    );
    const anybody = web.anonymous();
    const link = (kind: string, of: string) => `/mail/${account.accountId}/${address?.id}/${kind}/${of}`;
    expect((await anybody.get(link('confirm', token))).text).toContain('Yes, send me these mails');
    expect((await client.get(at('/admins'))).text).toContain('Not confirmed yet');
    expect(await anybody.post(link('confirm', 'c'.repeat(43)), {})).toMatchObject({ status: 404 });
    const foreign = await anybody.post(link('confirm', token), {}, { 'Sec-Fetch-Site': 'cross-site' });
    expect(foreign).toMatchObject({ status: 403 });
    expect((await anybody.post(link('confirm', token), {})).text).toContain('Your address is confirmed');
    expect((await client.get(at('/admins'))).text).toContain('Confirmed');
    const { rows } = await db.query(
      "select encode(sha256(stop_secret::text::bytea), 'hex') as token from admin.notice_address where account_id = $1",
      [account.accountId],
    );
    expect((await anybody.post(link('stop', rows[0].token), {})).text).toContain('You will get no more mails');
    expect((await client.get(at('/admins'))).text).toContain('Only the admins get these mails');
    expect((await anybody.get(link('other', token))).status).toBe(404);
    const audit = await client.get(at('/audit'));
    expect(audit.text).toContain('Address confirmed by its owner');
    expect(audit.text).not.toContain(email);
  });

  it('plots what the disclosure guard has released and withheld in the newest cycles, above the table', async () => {
    const { account, client, at } = await signedInAdmin();
    await db.query(
      `insert into scoring.settled_cycle (account_id, id, survey_id, opened_us, closed_us, judged_thresholds, released, too_few)
       select $1, gen_random_uuid(), 7, n * 86400e6 - 1, n * 86400e6, '', 40, n from generate_series(1, 30) n`,
      [account.accountId],
    );
    const { text } = await client.get(at('/guard'));
    expect(text.match(/<svg[^>]*class="plot"/g)).toHaveLength(6);
    expect(text).toContain('aria-label="Too few respondents: 24 cycles, at most 30 questions"');
    expect(text).toContain('Cycle of survey 7 that closed on 31 Jan 1970: 30');
    expect(text).toContain('24 of 30');
    expect(Buffer.byteLength(text)).toBeLessThan(60 * 1024);
  });

  it('changes what happens to answers of erased employees, and shows how long data is kept [DATA-ERASURE-2]', async () => {
    const { account, client, at } = await signedInAdmin();
    const { accountId: account_id } = account;
    await operator.admin.setSettings({ account_id, masking_categories: null, retain_answers_days: 365 }, AS_OPERATOR);
    const change = at('/settings');
    expect(await client.submit(at('/settings'), change, { erased_answers: 'delete' })).toMatchObject({ status: 303 });
    expect(await operator.admin.showSettings({ account_id }, AS_OPERATOR)).toMatchObject({ erased_answers: 'delete' });
    const page = await client.get(at('/settings'));
    expect(page.text).toMatch(/value="delete"\s+checked/);
    const periods = Object.fromEntries(
      [...page.text.matchAll(/<dt>([^<]+)<\/dt>\s*<dd>([^<]+)<\/dd>/g)].map(([, name, period]) => [name, period]),
    );
    expect(periods).toEqual({
      'Offboarded employees': 'without limit',
      'Answers and texts of a closed cycle': '365 days',
      'Records of an import': '30 days',
      'Audit log': 'without limit',
    });
  });

  it('keeps the navigation where an address is unknown, and on help', async () => {
    const { client, at } = await signedInAdmin();
    const missing = await client.get(at('/nothing/here'));
    expect(missing.status).toBe(404);
    expect(missing.text).toContain(`href="${at('/imports')}"`);
    const help = await client.get(at('/help'));
    for (const link of [at('/imports'), at('/keys'), '#s3']) expect(help.text).toContain(`href="${link}"`);
  });

  it('saves what was changed on the page, all or nothing, and loses neither typed values nor those of another admin', async () => {
    const { account, client, at } = await signedInAdmin(sites);
    const { accountId: account_id } = account;
    const settings = at('/settings');
    const read = () => operator.admin.showSettings({ account_id }, AS_OPERATOR);
    const opened = (await client.get(settings)).text;
    expect(opened).toContain('Site: 3 values, 3 with fewer than 5 employees');
    expect(opened.split(`action="${settings}"`)).toHaveLength(2);
    const untouched = { categorisation: 'off', erased_answers: 'anonymise' };
    const typed = { ...untouched, filter: 'Site', denied: 'Müller\r\nKöln ', reason: '' };
    await operator.admin.setSettings({ account_id, categorisation: true, masking_categories: null }, AS_OPERATOR);
    const both = await client.post(settings, { ...hiddenFields(opened, settings), ...typed, reason: 'x', masking: 'on' });
    for (const fault of ['Masking is not part of your contract', 'Enter a reason']) expect(both.text).toContain(fault);
    const late = await client.post(settings, { ...hiddenFields(opened, settings), ...typed, reason: 'two names' });
    expect(late).toMatchObject({
      status: 422,
      text: expect.stringContaining('The settings were changed after you opened the page'),
    });
    expect(late.text).toMatch(/value="Site"\s+selected[^]*name="categorisation"\s+value="on"\s+checked/);
    expect(late.text).toMatch(/>Müller\nKöln<[^]*value="two names"[^]*class="foot stuck"/);
    expect(await read()).toMatchObject({ masking_denied_words: [], categorisation: true });
    const again = { ...hiddenFields(late.text, settings), ...typed, categorisation: 'on', reason: 'two names' };
    expect(await client.post(settings, again)).toMatchObject({ status: 303 });
    expect(await read()).toMatchObject({
      masking_denied_words: ['Köln', 'Müller'],
      categorisation: true,
      text_filter_attribute: { name: 'Site' },
      notices_off: [],
    });
  });

  it('takes a form that is sent twice for one change, and rejects what no form sends', async () => {
    const { client, at } = await signedInAdmin();
    const mails = at('/settings');
    const page = (await client.get(at('/settings'))).text;
    const fields = { ...hiddenFields(page, mails), schedule: 'daily', hour: '6' };
    for (const _ of [1, 2]) expect(await client.post(mails, fields)).toMatchObject({ status: 303 });
    for (const version of ['x', '-1', '1e300'])
      expect((await client.post(mails, { ...fields, hour: '7', version })).status).toBe(422);
    const forged: readonly Record<string, string>[] = [
      { filter: 'no such attribute' },
      { filter: `<script>${'x'.repeat(50_000)}` },
      { masking: 'on', category: 'bogus' },
      { denied: 'x'.repeat(101), reason: 'long' },
      { denied: '\u202e', reason: 'direction' },
    ];
    for (const fields of forged) {
      const rejected = await client.submit(mails, mails, fields);
      expect(rejected).toMatchObject({ status: 422 });
      expect(rejected.text).not.toContain('<script>');
    }
    // What the form claims to have shown decides only what is saved.
    expect(await client.post(mails, { ...fields, shown: 'forged.x' })).toMatchObject({ status: 303 });
    const decision = at('/guard/decision');
    const off = { guard: 'off', confirm: 'unguarded', reason: 'x'.repeat(20_000) };
    expect((await client.submit(decision, decision, off)).text).toContain('3 to 200 characters');
  });

  it('takes no name of which nothing would be seen', async () => {
    const { account, client, at } = await signedInAdmin();
    for (const name of ['   ', '\u200b', '\u2060 \u00a0', '\u202e'])
      for (const path of [at('/topics'), at('/keys')]) {
        const page = await client.submit(path, path, { name });
        expect(page.status).toBe(422);
        expect(page.text).toContain('Enter a name of 1 to');
      }
    const { keys } = await operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    expect(keys.every(({ name }) => name == null)).toBe(true);
  });

  it('creates, renames, gives keywords to and merges topics', async () => {
    const { client, at } = await signedInAdmin();
    for (const name of ['Pay', 'Canteen'])
      expect(await client.submit(at('/topics'), at('/topics'), { name })).toMatchObject({ status: 303 });
    const list = await client.get(at('/topics'));
    const idOf = (name: string): string => new RegExp(`/topics/(\\d+)">${name}<`).exec(list.text)?.[1] ?? '';
    const pay = at(`/topics/${idOf('Pay')}`);
    expect((await client.submit(pay, pay, { name: 'canteen' })).text).toContain('There is a topic “canteen” already');
    expect(await client.submit(pay, pay, { name: 'Pay and benefits' })).toMatchObject({ status: 303 });
    const merge = `${pay}/merge`;
    expect((await client.get(pay)).text.split(` action="${pay}`)).toHaveLength(2);
    const stale = hiddenFields((await client.get(pay)).text, pay);
    expect(await client.submit(pay, pay, { language: 'en', words: 'salary\nbonus' })).toMatchObject({ status: 303 });
    const both = { 'words-en': 'salary\nholiday', language: 'de', words: 'Lohn' };
    const tried = await client.submit(pay, pay, { ...both, action: 'try' });
    expect(tried.text).toMatch(/<b>0<\/b>\s*<bdi>holiday<\/bdi>/);
    expect((await client.get(pay)).text).toContain('salary\nbonus');
    const late = await client.post(pay, { ...stale, ...both });
    expect(late).toMatchObject({ status: 422, text: expect.stringContaining('salary\nholiday') });
    const fresh = { ...hiddenFields((await client.get(pay)).text, pay), ...both };
    for (const _click of [1, 2]) expect(await client.post(pay, fresh)).toMatchObject({ status: 303 });
    expect((await client.get(pay)).text).toMatch(/>\s*Lohn<[^]*>\s*salary\nholiday</);
    const all = { name: 'canteen', state: 'inactive', 'words-en': 'wage\n:)', 'words-de': '---' };
    const refused = (await client.submit(pay, pay, all)).text;
    expect(refused).toMatch(/Line 1 must have[^]*>\s*wage\n:\)<[^]*value="canteen"[^]*value="inactive"\s+checked/);
    expect((await client.get(pay)).text).not.toContain('wage');
    const saved = { ...all, name: 'Benefits', 'words-de': 'Lohn\nGehalt' };
    expect(await client.submit(pay, pay, saved)).toMatchObject({ status: 303 });
    expect((await client.get(pay)).text).toMatch(/<h1>Benefits<[^]*Gehalt[^]*value="inactive"\s+checked/);
    expect(await client.submit(pay, pay, { name: 'Pay and benefits', state: 'active' })).toMatchObject({ status: 303 });
    expect(await client.submit(pay, pay, { state: 'inactive' })).toMatchObject({ status: 303 });
    expect((await client.get(at('/topics'))).text).toMatch(/Pay and benefits[^]*?Inactive/);
    expect(await client.submit(pay, pay, { state: 'active' })).toMatchObject({ status: 303 });
    expect((await client.get(at('/topics'))).text).not.toContain('Inactive');
    const into = /value="(\d+)"[^>]*>\s*Canteen</.exec((await client.get(merge)).text)?.[1] ?? '';
    const confirm = 'Pay and benefits';
    expect((await client.submit(merge, merge, { into: '', confirm })).text).toContain('Choose a topic.');
    expect(await client.submit(merge, merge, { into, confirm: 'no' })).toMatchObject({ status: 422 });
    const gone = await client.submit(merge, merge, { into: '0', confirm });
    expect(gone).toMatchObject({ status: 422, text: expect.stringContaining('This topic no longer exists') });
    expect(await client.submit(merge, merge, { into, confirm })).toMatchObject({ status: 303 });
    expect(await client.get(pay)).toMatchObject({ status: 404 });
  });
});

it('saves what two admins change in one topic, and replaces no change of the other one unseen', async () => {
  const { client, at } = await signedInAdmin();
  await client.submit(at('/topics'), at('/topics'), { name: 'Pay' });
  const topic = /topics\/\d+(?=">Pay<)/.exec((await client.get(at('/topics'))).text)?.[0] ?? '';
  const pay = at(`/${topic}`);
  await client.submit(pay, pay, { language: 'en', words: 'salary' });
  const opened = hiddenFields((await client.get(pay)).text, pay);
  const unchanged = { name: 'Pay', state: 'active', 'words-en': 'salary' };
  expect(await client.post(pay, { ...opened, ...unchanged, 'words-en': 'wage' })).toMatchObject({ status: 303 });
  expect(await client.post(pay, { ...opened, ...unchanged, name: 'Wages' })).toMatchObject({ status: 303 });
  const late = await client.post(pay, { ...opened, ...unchanged, 'words-en': 'pay' });
  expect(late).toMatchObject({ status: 422, text: expect.stringContaining('Somebody else has changed this to: wage.') });
  const tried = await client.post(pay, { ...opened, ...unchanged, 'words-en': 'pay', action: 'try' });
  expect(tried.text).toContain('Somebody else has changed this to: wage.');
  // The page shows what is stored by now, and the words that were typed.
  expect(late.text).toMatch(/>\s*pay<[^]*value="Wages"/);
  const shown = { ...hiddenFields(late.text, pay), ...unchanged, name: 'Wages', 'words-en': 'pay' };
  expect(await client.post(pay, shown)).toMatchObject({ status: 303 });
  expect((await client.get(pay)).text).toMatch(/<h1>Wages<[^]*>\s*pay</);
});

describe('what needs a recent sign-in', () => {
  it('keeps what was typed while the admin signs in again, and changes nothing by itself', async () => {
    const { account, admin, at } = await signedInAdmin();
    const client = await web.signIn({ ...admin, auth_time: Math.floor(Date.now() / 1_000) - 3_600 });
    const sent = await client.submit(at('/keys'), at('/keys'), { name: 'Power BI', scope: 'read' });
    const again = /url=(.*)$/.exec(sent.headers.get('refresh') ?? '')?.[1] ?? '';
    expect(again).toContain('/sign-in/again');
    web.provider.setPeople([admin]);
    const page = await client.authenticate(again, admin.id);
    expect(page.text).toContain('You have signed in again. Nothing has been changed yet');
    expect(page.text).toContain('value="Power BI"');
    const list = () => operator.admin.listKeys({ account_id: account.accountId }, AS_OPERATOR);
    expect((await list()).keys.map(({ name }) => name)).not.toContain('Power BI');
    expect((await client.submit(at('/keys'), at('/keys'), { name: 'Power BI', scope: 'read' })).status).toBe(200);
    expect((await list()).keys.map(({ name }) => name)).toContain('Power BI');
    expect((await client.get(at('/audit?action=all'))).text).toContain('Signed in again for a change');
  });

  it('does not hide that settings were changed while the admin signed in again', async () => {
    const { account, admin, at } = await signedInAdmin();
    const client = await web.signIn({ ...admin, auth_time: Math.floor(Date.now() / 1_000) - 3_600 });
    const decision = at('/guard/decision');
    const sent = await client.submit(decision, decision, { guard: 'off', confirm: 'unguarded', reason: 'works council' });
    await operator.admin.setSettings(
      { account_id: account.accountId, disclosure_guard: 'strict', masking_categories: null },
      AS_OPERATOR,
    );
    web.provider.setPeople([admin]);
    const page = await client.authenticate(/url=(.*)$/.exec(sent.headers.get('refresh') ?? '')?.[1] ?? '', admin.id);
    const fields = { ...hiddenFields(page.text, decision), guard: 'off', confirm: 'unguarded', reason: 'works council' };
    expect((await client.post(decision, fields)).text).toContain('The settings were changed after you opened the page');
  });

  it('is required after five wrong confirmations within ten minutes', async () => {
    const { admin, client, at } = await signedInAdmin();
    const path = at('/integration/disconnect');
    for (let wrong = 1; wrong <= 5; wrong += 1)
      expect(await client.submit(path, path, { confirm: `Test ${wrong}` })).toMatchObject({ status: 422 });
    const sent = await client.submit(path, path, { confirm: 'Test' });
    const again = /url=(.*)$/.exec(sent.headers.get('refresh') ?? '')?.[1] ?? '';
    expect(again).toContain('/sign-in/again');
    const other = { ...admin, id: 'somebody-else' };
    web.provider.setPeople([admin, other]);
    // The same browser, without the provider's cookies.
    const stranger = web.anonymous();
    for (const [name = '', value = ''] of client.cookie.split('; ').map((pair) => pair.split('=')))
      stranger.setCookie(name, value);
    expect(await stranger.authenticate(again, other.id)).toMatchObject({ status: 400 });
    expect((await client.get(at('/audit?action=sign-in'))).text).toContain('Signing in again was rejected: another user');
    await client.authenticate(again, admin.id);
    expect(await client.submit(path, path, { confirm: 'Test' })).toMatchObject({ status: 303 });
  });
});

it.each([
  ['/audit?before=1e300', 200],
  ['/audit?before=-1', 200],
  ['/audit?from=0000-01-01&to=9999-12-31', 200],
  ['/audit?actor=%00', 400],
  ['/imports?state=%00', 400],
  ['/attributes?from=1e300', 200],
])('answers the address %s with %i', async (path, status) => {
  const { client, at } = await signedInAdmin();
  expect(await client.get(at(path))).toMatchObject({ status });
});

it('shows an admin what an operator did, with the reason, and offers to rotate a key that will end', async () => {
  const { account, client, at } = await signedInAdmin();
  const { accountId: account_id } = account;
  const call = { ...AS_OPERATOR, caller: { requestId: 'test', actor: 'jo', reason: 'Ticket 4711' } };
  await operator.admin.noteAudit({ account_id, action: 'account.enter', what: '' }, call);
  const { keys } = await operator.admin.listKeys({ account_id }, AS_OPERATOR);
  const key_id = keys.find(({ scope }) => scope === 'read')?.key_id ?? '';
  await operator.admin.revokeKey({ account_id, key_id, grace_seconds: 604_800 }, call);
  expect((await client.get(at('/keys'))).text).toMatch(/Ends[^]*Rotate…/);
  const { text } = await client.get(at('/audit'));
  expect(text).toMatch(/Key revoked[^]*Account viewed by an operator/);
  expect(text.match(/Ticket 4711/g)).toHaveLength(2);
});
