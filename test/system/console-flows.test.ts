import { describe, expect, it } from 'vitest';
import { startFileStack } from '../file-stack.ts';
import { R, records } from '../records.ts';
import { startTestConsole } from '../console.ts';
import { afterAll } from 'vitest';

// The web console, through the real services, by a client without script.
const { stack, api, operator, importAndWait } = await startFileStack();
const web = await startTestConsole(stack, operator);
afterAll(() => web[Symbol.asyncDispose]());

let people = 0;

/** A connected account with an Admin who is signed in to the console. */
async function signedInAdmin(employees = records(1, 10)) {
  const account = await operator.createAccount();
  await web.bind(account.accountId);
  people += 1;
  const admin = { id: `admin-${people}`, name: 'Admin', email: `admin-${people}@x.io` };
  const outcome = await importAndWait(account, [R(0, { email: admin.email, role: 'Admin' }), ...employees]);
  expect(outcome).toMatchObject({ state: 'applied' });
  const client = await web.signIn(admin);
  const at = (path: string): string => `/a/${account.accountId}${path}`;
  return { account, admin, client, at };
}

describe('every page', () => {
  it.each(['/', '/integration', '/imports', '/dry-run', '/keys', '/attributes', '/topics', '/settings', '/admins', '/audit'])(
    'returns %s with its state, in English and German',
    async (path) => {
      const { client, at } = await signedInAdmin();
      const page = await client.get(at(path));
      expect(page).toMatchObject({ status: 200 });
      expect(page.text).toContain('<html lang="en">');
      expect(page.text).not.toMatch(/undefined|NaN|\[object|could not be loaded/);
      const german = await client.get(at(path), { 'Accept-Language': 'de' });
      expect(german.text).toContain('<html lang="de">');
      expect(Buffer.byteLength(page.text)).toBeLessThan(60 * 1024);
    },
  );
});

describe('API keys', () => {
  it('shows a new key once, and lets it read', async () => {
    const { client, at } = await signedInAdmin();
    const made = await client.submit(at('/keys'), at('/keys'), { name: 'Power BI' });
    const key = /<output[^>]*>([^<]+)<\/output>/.exec(made.text)?.[1] ?? '';
    expect(await api.get('/v1/employees?limit=1', key)).toMatchObject({ status: 200 });
    expect((await client.get(at('/keys'))).text).toContain('Power BI');
    expect((await client.get(at('/keys'))).text).not.toContain(key);
    expect((await client.get(at('/audit'))).text).not.toContain(key);
  });
});
