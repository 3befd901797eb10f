import { randomBytes } from 'node:crypto';
import { CLIENT_ID, startIdentityProvider, type IdentityProvider, type Person } from '@survey/local/identity-provider.ts';
import { reservePort } from '@survey/local/ports.ts';
import { startService, waitUntilReady } from '@survey/local/service-process.ts';

/** A replica of the console in its own process, as in production. */
export interface ConsoleProcess {
  // host:port of the console and of its probes and metrics.
  readonly serve: string;
  readonly probe: string;
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

interface Upstreams {
  readonly services: { readonly 'account-admin': { readonly address: string } };
  readonly redisUrl: string;
}

/** What the replicas of one console share. */
interface ConsoleReplicas extends AsyncDisposable {
  readonly provider: IdentityProvider;
  /** Starts a replica; without a port, on one that it reserves. */
  start(port?: number): Promise<ConsoleProcess>;
}

/** Prepares replicas that browsers reach at `url`. */
export async function prepareConsole(
  { services, redisUrl }: Upstreams,
  { url, people, more = {} }: { url: string; people: readonly Person[]; more?: Readonly<Record<string, string>> },
): Promise<ConsoleReplicas> {
  await using starting = new AsyncDisposableStack();
  const clientSecret = randomBytes(24).toString('base64url');
  const provider = starting.use(
    await startIdentityProvider({ port: 0, consoleUrl: url, issuerId: 'admins', clientSecret, people }),
  );
  const entry = { name: 'Test provider', issuer: provider.issuer, client_id: CLIENT_ID, client_secret: clientSecret };
  const environment = {
    REDIS_URL: redisUrl,
    CONSOLE_URL: url,
    ACCOUNT_ADMIN_ADDRESS: services['account-admin'].address,
    CONSOLE_ISSUERS: JSON.stringify([{ ...entry, id: 'admins' }]),
    CONSOLE_SESSION_KEYS: randomBytes(32).toString('base64'),
    SIGN_INS_PER_MINUTE: '100000',
    ...more,
  };
  const running = starting.move();
  return {
    provider,
    start: async (port) => {
      const [serve, probe] = [`127.0.0.1:${port ?? (await reservePort())}`, `127.0.0.1:${await reservePort()}`];
      const lines: string[] = [];
      const replica = startService({
        name: 'console',
        environment: { ...environment, HTTP_LISTEN: serve, PROBE_LISTEN: probe },
        onLine: (line) => lines.push(line),
      });
      running.defer(() => replica.stop());
      await waitUntilReady('console', probe);
      return { serve, probe, lines, stop: () => replica.stop() };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
