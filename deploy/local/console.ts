import { workforce } from '@survey/demo-data/workforce.ts';
import type { Listen, StackConfig } from './service-environments.ts';
import { DEMO_SIZE } from './demo.ts';
import { setIssuers } from './demo-account.ts';
import { CLIENT_ID, startIdentityProvider } from './identity-provider.ts';
import type { Source } from './log-line.ts';
import type { PortOf } from './port-block.ts';
import type { Secrets } from './secrets.ts';
import { startService, waitUntilReady } from './service-process.ts';

interface ConsoleOptions extends Pick<StackConfig, 'redisUrl' | 'logLevel' | 'listen'> {
  readonly secrets: Secrets;
  readonly started: AsyncDisposableStack;
  readonly portOf: PortOf;
  readonly onLine: (source: Source, line: string) => void;
  readonly fail: (error: Error) => void;
}

interface RunningConsole {
  readonly url: string;
  readonly issuer: string;
  readonly listen: Listen;
}

/**
 * Starts the web console, and an identity provider on loopback that signs in a demo admin
 * without a prompt.
 */
export async function startConsoleProcess(options: ConsoleOptions): Promise<RunningConsole> {
  const { secrets, started, redisUrl, logLevel, listen, portOf, onLine, fail } = options;
  const serve = `127.0.0.1:${portOf('console')}`;
  const url = `http://${serve}`;
  const clientSecret = secrets.consoleClientSecret;
  const demoAdmin = { id: 'demo-admin', email: demoAdminEmail(), name: 'Demo admin' };
  const { issuer } = started.use(
    await startIdentityProvider({
      port: portOf('identity provider'),
      consoleUrl: url,
      issuerId: demoAdmin.id,
      clientSecret,
      people: [demoAdmin],
    }),
  );
  const { id, name } = demoAdmin;
  const issuers = [{ id, name, issuer, client_id: CLIENT_ID, client_secret: clientSecret, login_hint: id }];
  const probe = `127.0.0.1:${portOf('console metrics')}`;
  const console = startService({
    name: 'console',
    environment: {
      REDIS_URL: redisUrl,
      HTTP_LISTEN: serve,
      PROBE_LISTEN: probe,
      LOG_LEVEL: logLevel,
      CONSOLE_URL: url,
      API_URL: `http://${listen.gateway.serve}`,
      ACCOUNT_ADMIN_ADDRESS: listen['account-admin'].serve,
      CONSOLE_ISSUERS: JSON.stringify(issuers),
      CONSOLE_SESSION_KEYS: secrets.consoleSessionKey,
    },
    onLine: (line) => onLine({ name: 'console', colour: 'cyan' }, line),
  });
  started.defer(() => console.stop());
  void console.ended.then((code) =>
    fail(new Error(`console exited unexpectedly with code ${code}: ${console.lastLines().at(-1) ?? ''}`)),
  );
  await waitUntilReady('console', probe);
  return { url, issuer, listen: { serve, probe } };
}

// The first employee of the demo workforce is its Admin.
function demoAdminEmail(): string {
  for (const { role, email } of workforce(DEMO_SIZE)) if (role === 'Admin') return email;
  throw new Error('cannot sign in a demo admin: the demo workforce has none');
}

/** Makes the demo admin an account admin of the demo account. */
export function bindDemoAccount(accountAdminAddress: string, accountId: number, issuer: string): Promise<void> {
  return setIssuers(accountAdminAddress, accountId, [issuer]);
}
