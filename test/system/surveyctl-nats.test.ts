import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type ConnectionOptions, nkeys } from '@nats-io/transport-node';
import { readBusUrl } from '@survey/bus/bus-url.ts';
import { BUS_USERS } from '@survey/bus/permissions.ts';
import { provision } from '@survey/bus/provision.ts';
import { NATS } from '@survey/local/nats.ts';
import { reservePort } from '@survey/local/ports.ts';
import { supervise } from '@survey/local/supervise.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { obtainProgram } from '../support/processes.ts';

const folder = await mkdtemp(join(tmpdir(), 'survey-nats-users-'));
const closing = new AsyncDisposableStack();
closing.defer(() => rm(folder, { recursive: true, force: true }));
afterAll(() => closing.disposeAsync());
const SURVEYCTL = fileURLToPath(new URL('../../clients/surveyctl/src/main.ts', import.meta.url));
const permissions = (...args: string[]) => promisify(execFile)(process.execPath, [SURVEYCTL, 'nats', 'permissions', ...args]);

async function serve(configuration: string, environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const port = await reservePort();
  const file = join(folder, `${port}.conf`);
  const jetstream = `jetstream { store_dir: ${JSON.stringify(join(folder, String(port)))} }`;
  await writeFile(file, `listen: "127.0.0.1:${port}"\n${jetstream}\n${configuration}\n`);
  const program = supervise({
    command: await obtainProgram(NATS),
    args: ['--config', file],
    output: 'pipe',
    env: { ...process.env, ...environment },
  });
  program.stdout?.resume();
  closing.defer(() => program.stop(5_000));
  return port;
}

async function mayReadStreams(options: ConnectionOptions): Promise<boolean> {
  const bus = await connect({ ...options, waitOnFirstConnect: true, reconnectTimeWait: 100, maxReconnectAttempts: 300 });
  closing.defer(() => bus.close());
  return jetstreamManager(bus, { timeout: 1_000 }).then(
    () => true,
    () => false,
  );
}

// Signs as nsc does.
function jwt(issuer: nkeys.KeyPair, subject: nkeys.KeyPair, nats: object, name = 'test'): string {
  const claims = { jti: name, iat: 1, iss: issuer.getPublicKey(), name, sub: subject.getPublicKey(), nats };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}

const listIn = (command: string, option: string): string[] =>
  new RegExp(`--${option} '([^']*)'`).exec(command)?.[1]?.split(',') ?? [];

describe('surveyctl nats permissions', () => {
  it('prints users that nats-server accepts, with passwords of the environment', async () => {
    const { stdout } = await permissions();
    const names = Object.keys(BUS_USERS).map((name) => `${name.toUpperCase().replaceAll('-', '_')}_PASSWORD`);
    const port = await serve(stdout, Object.fromEntries(names.map((name) => [name, 'secret'])));
    const as = (user: string) => mayReadStreams(readBusUrl(`nats://${user}:secret@127.0.0.1:${port}`));
    expect([await as('prepare'), await as('gateway')]).toEqual([true, false]);
  });

  it('prints commands for an operator, whose credentials files are passwords', async () => {
    const { stdout } = await permissions('--format', 'nsc', '--nats-account', 'surveys');
    const commands = new Map(
      stdout
        .trim()
        .split('\n')
        .map((line) => [/--name (\S+)/.exec(line)?.[1] ?? '', line]),
    );
    expect([...commands.keys()]).toEqual(Object.keys(BUS_USERS));
    expect(commands.get('gateway')).toMatch(/^nsc add user --account 'surveys' --name gateway --deny-pub '>' --allow-sub /);
    const [operator, system, account, user] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createAccount(),
      nkeys.createUser(),
    ];
    const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
    const accounts = [
      [system, limits],
      [account, { ...limits, ...storage }],
    ] as const;
    const preload = accounts.map(
      ([key, limited]) => `${key.getPublicKey()}: ${jwt(operator, key, { limits: limited, type: 'account', version: 2 })}`,
    );
    const port = await serve(`operator: ${jwt(operator, operator, { type: 'operator', version: 2 })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload { ${preload.join(', ')} }`);
    const command = commands.get('prepare') ?? '';
    const [pub, sub] = [{ allow: listIn(command, 'allow-pub') }, { allow: listIn(command, 'allow-sub') }];
    const userJwt = jwt(account, user, { pub, sub, subs: -1, data: -1, payload: -1, type: 'user', version: 2 });
    const credentials = `-----BEGIN NATS USER JWT-----
${userJwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------`;
    const natsUrl = `nats://prepare:${encodeURIComponent(credentials)}@127.0.0.1:${port}`;
    expect(await mayReadStreams(readBusUrl(natsUrl))).toBe(true);
    await provision({ natsUrl });
  });
});
