import { workforce } from '@survey/demo-data/workforce.ts';
import type { StackConfig } from './service-environments.ts';
import { DEMO_SIZE } from './demo.ts';
import { setIssuers } from './demo-account.ts';
import { CLIENT_ID, startIdentityProvider } from './identity-provider.ts';
import { freePorts } from './ports.ts';
import { printServiceLine } from './terminal.ts';
import type { Secrets } from './secrets.ts';
import { startService, waitUntilReady } from './service-process.ts';

const USUAL_PORT = 8081;
const USUAL_PROVIDER_PORT = 8082;
const USUAL_PROBE_PORT = 9096;

interface ConsoleOptions extends Pick<StackConfig, 'redisUrl' | 'logLevel' | 'listen'> {
  readonly secrets: Secrets;
  readonly started: AsyncDisposableStack;
  // URL of the previous start.
  readonly previousUrl: string | undefined;
  readonly fail: (error: Error) => void;
}

/**
 * Starts the web console, and an identity provider on loopback that signs in a demo admin
 * without a prompt.
 */
export async function startConsoleProcess(options: ConsoleOptions): Promise<{ url: string; issuer: string }> {
  const { secrets, started, redisUrl, logLevel, listen, previousUrl, fail } = options;
  const usual = Number(URL.parse(previousUrl ?? '')?.port) || USUAL_PORT;
  const [port, providerPort = 0, probePort] = await freePorts([usual, USUAL_PROVIDER_PORT, USUAL_PROBE_PORT]);
  const url = `http://127.0.0.1:${port}`;
  const clientSecret = secrets.consoleClientSecret;
  const demoAdmin = { id: 'demo-admin', email: demoAdminEmail(), name: 'Demo admin' };
  const { issuer } = started.use(
    await startIdentityProvider({ port: providerPort, consoleUrls: [url], clientSecret, people: [demoAdmin] }),
  );
  const { id, name } = demoAdmin;
  const issuers = [{ id, name, issuer, client_id: CLIENT_ID, client_secret: clientSecret, login_hint: id }];
  const probe = `127.0.0.1:${probePort}`;
  const console = startService({
    name: 'console',
    environment: {
      REDIS_URL: redisUrl,
      HTTP_LISTEN: `127.0.0.1:${port}`,
      PROBE_LISTEN: probe,
      LOG_LEVEL: logLevel,
      CONSOLE_URL: url,
      ACCOUNT_ADMIN_ADDRESS: listen['account-admin'].serve,
      CONSOLE_ISSUERS: JSON.stringify(issuers),
      CONSOLE_SESSION_KEYS: secrets.consoleSessionKey,
    },
    onLine: (line) => printServiceLine({ name: 'console', colour: 'cyan' }, line),
  });
  started.defer(() => console.stop());
  void console.ended.then((code) =>
    fail(new Error(`console exited unexpectedly with code ${code}: ${console.lastLines().at(-1) ?? ''}`)),
  );
  await waitUntilReady('console', probe);
  return { url, issuer };
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
