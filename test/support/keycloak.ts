import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '@survey/local/find-program.ts';
import { reservePort } from '@survey/local/ports.ts';
import { reportSkipped } from './skipped.ts';

// Keycloak compiles itself at its first start, which takes a busy machine minutes.
const START_TIMEOUT_MS = 600_000;
const ADMIN = { username: 'admin', password: 'admin' };

/** A Keycloak of one test file, with its admin API. */
export interface Keycloak extends AsyncDisposable {
  issuerOf(realm: string): string;
  /** Calls the admin API. Returns the path of what was created, else the body. */
  admin(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown>;
}

/** Returns the Keycloak that .ci/tools has brought; undefined without one, or without Java. */
export async function findKeycloak(): Promise<string | undefined> {
  const folder = process.env['KEYCLOAK_HOME'] ?? fileURLToPath(new URL('../../.local/tools/keycloak.d', import.meta.url));
  const script = await findProgram('kc.sh', [join(folder, 'bin')]);
  const java = await findProgram('java');
  if (script !== undefined && java !== undefined) return script;
  reportSkipped(
    'sign-in with Keycloak',
    'Java 17 and Keycloak are needed: `.ci/tools` brings the latter, KEYCLOAK_HOME names one',
  );
  return undefined;
}

/** Starts Keycloak without data, on 127.0.0.1. */
export async function startKeycloak(script: string): Promise<Keycloak> {
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'survey-keycloak-'));
  const args = ['start-dev', '--db=dev-mem', '--http-host=127.0.0.1', `--http-port=${port}`, '--cache=local'];
  const server = spawn(script, args, {
    cwd: folder,
    detached: true,
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
      JAVA_OPTS_APPEND: '-Xmx512m',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    // The script has a child that is the server.
    if (server.pid !== undefined && server.exitCode === null) {
      process.kill(-server.pid, 'SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  const isUp = () =>
    fetch(`${url}/realms/master`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) {
    if (server.exitCode === null && Date.now() < deadline) await sleep(500);
    else {
      await stop();
      throw new Error(`Keycloak did not start:\n${output.slice(-2_000)}`);
    }
  }
  return {
    issuerOf: (realm) => `${url}/realms/${realm}`,
    admin: async (method, path, body) => {
      const response = await fetch(`${url}/admin/realms${path}`, {
        method,
        headers: { authorization: `Bearer ${await token(url)}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return response.headers.get('location') ?? (text === '' ? undefined : JSON.parse(text));
    },
    [Symbol.asyncDispose]: stop,
  };
}

async function token(url: string): Promise<string> {
  const response = await fetch(`${url}/realms/master/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...ADMIN }),
  });
  return String(Object(await response.json()).access_token);
}

/** Returns the client that docs/identity.md gives, for this console and issuer entry. */
export async function documentedClient(consoleUrl: string, id: string): Promise<Record<string, unknown>> {
  const page = await readFile(new URL('../../docs/identity.md', import.meta.url), 'utf8');
  const [, json = '{}'] = /```json keycloak\n([^]*?)```/.exec(page) ?? [];
  return JSON.parse(json.replaceAll('https://console.example.com', consoleUrl).replaceAll('/callback/acme', `/callback/${id}`));
}
