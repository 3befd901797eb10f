import { randomBytes } from 'node:crypto';
import { environment } from '@survey/console/config.ts';
import { startConsole } from '@survey/console/service.ts';
import { CLIENT_ID, startIdentityProvider, type IdentityProvider, type Person } from '@survey/local/identity-provider.ts';
import { reservePort } from '@survey/local/ports.ts';
import { readEnvironment } from '@survey/process/environment.ts';
import { ConsoleClient } from './console-client.ts';
import type { Operator } from './accounts.ts';
import type { Stack } from './stack.ts';

/** The web console of one test file, connected to the file's stack, and its sign-in provider. */
export interface TestConsole extends AsyncDisposable {
  readonly url: string;
  readonly provider: IdentityProvider;
  signIn(person: Person): Promise<ConsoleClient>;
  /** Returns a client that is not signed in. */
  anonymous(): ConsoleClient;
  /** Makes the provider's users admins of the account. */
  bind(accountId: number): Promise<void>;
}

const ISSUER_ID = 'admins';
/** Only shown. */
export const API_URL = 'https://api.example.com';
const AS_OPERATOR = { caller: { requestId: 'test' }, deadlineMs: 10_000 };

export async function startTestConsole(
  { services, redisUrl }: Pick<Stack, 'services' | 'redisUrl'>,
  operator: Operator,
  more: Readonly<Record<string, string>> = {},
): Promise<TestConsole> {
  await using starting = new AsyncDisposableStack();
  const url = more['CONSOLE_URL'] ?? `http://127.0.0.1:${await reservePort()}`;
  const clientSecret = randomBytes(24).toString('base64url');
  const provider = starting.use(
    await startIdentityProvider({ port: 0, consoleUrl: url, issuerId: ISSUER_ID, clientSecret, people: [] }),
  );
  const { issuer } = provider;
  const issuers = [{ id: ISSUER_ID, name: 'Test provider', issuer, client_id: CLIENT_ID, client_secret: clientSecret }];
  const settings = readEnvironment(environment, {
    REDIS_URL: redisUrl,
    HTTP_LISTEN: new URL(url).host,
    CONSOLE_URL: url,
    API_URL,
    ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address,
    CONSOLE_ISSUERS: JSON.stringify(issuers),
    CONSOLE_SESSION_KEYS: randomBytes(32).toString('base64'),
    SIGN_INS_PER_MINUTE: '100000',
    LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    ...more,
  });
  starting.use(await startConsole(settings));
  const running = starting.move();
  const people = new Map<string, Person>();
  return {
    url,
    provider,
    anonymous: () => new ConsoleClient(url),
    signIn: async (person) => {
      people.set(person.id, person);
      provider.setPeople([...people.values()]);
      const client = new ConsoleClient(url);
      const page = await client.signIn(person.id, ISSUER_ID);
      if (page.status !== 200)
        throw new Error(`the sign-in ended with ${page.status}: ${/<h1>[^]*?<\/main>/.exec(page.text)?.[0] ?? page.text}`);
      return client;
    },
    bind: async (account_id) => {
      await operator.admin.setIssuers({ account_id, issuers: [provider.issuer] }, AS_OPERATOR);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
