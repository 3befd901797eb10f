import { execFileSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { startProcessStack } from '../support/process-stack.ts';
import { onDay } from '../support/year-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'survey-mounted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const certFile = join(folder, 'tls.crt');
const keyFile = join(folder, 'tls.key');

function writeCertificate(): string {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const names = ['-subj', '/CN=gateway', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, ...names, '-out', certFile], { stdio: 'pipe' });
  return readFileSync(certFile, 'utf8');
}

const USER_AND_PASSWORD = /^(\w+:\/\/[^:@/]+):([^@/]+)@/;
const PASSWORDS = [
  ['DATABASE_URL', 'PGPASSWORD'],
  ['NATS_URL', 'NATS_PASSWORD'],
  ['REDIS_URL', 'REDIS_PASSWORD'],
] as const;
const secretsOf = (service: string): string => join(folder, service);

// As the chart mounts them: no password is left in the environment.
function moveToFiles(environment: Readonly<Record<string, string>>, service: string): Record<string, string> {
  const changed: Record<string, string> = { ...environment, SECRETS_DIR: secretsOf(service) };
  mkdirSync(secretsOf(service));
  const move = (name: string, secret: string): void => writeFileSync(join(secretsOf(service), name), `${secret}\n`);
  for (const [url, variable] of PASSWORDS) {
    const [, , password] = USER_AND_PASSWORD.exec(environment[url] ?? '') ?? [];
    if (password === undefined) continue;
    move(variable, decodeURIComponent(password));
    changed[url] = (environment[url] ?? '').replace(USER_AND_PASSWORD, '$1@');
  }
  return { ...changed, ...(service === 'gateway' && { HTTP_TLS_CERT_FILE: certFile, HTTP_TLS_KEY_FILE: keyFile }) };
}

let certificate = writeCertificate();
const stack = await startProcessStack(moveToFiles);
afterAll(() => stack[Symbol.asyncDispose]());
const { accountId, readKey, writeKey } = await stack.operator.createAccount({ connected: true });
const port = Number(stack.address.split(':')[1]);

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

function send(path: string, key: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Api-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
    const options = { ca: certificate, headers, agent: false, method: body === undefined ? 'GET' : 'POST' };
    const call = request(`https://${stack.address}${path}`, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });
}

const statusOf = async (path: string): Promise<number | undefined> => (await send(path, readKey)).status;

describe('services whose credentials and certificate are files', () => {
  it('import a snapshot and return its employees over HTTPS', async () => {
    const employees = [{ import_id: '1', email: 'one@example.com', firstname: 'One', lastname: 'First' }];
    const { status, body } = await send('/v1/employees/imports', writeKey, { employees });
    expect({ status, body }).toMatchObject({ status: 202 });
    const { import_uuid: uuid } = JSON.parse(body) as { import_uuid: string };
    expect(await stack.operator.importEnded(accountId, uuid)).toMatchObject({ state: 'applied' });
    expect(JSON.parse((await send('/v1/employees', readKey)).body)).toMatchObject({ total_count: 1 });
  });

  it('close a connection that does not begin with a TLS handshake', async () => {
    const plain = connect(port, '127.0.0.1', () => plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expect((await text(plain).catch(() => '')).startsWith('HTTP')).toBe(false);
    expect(await statusOf('/v1/employees')).toBe(200);
  });

  it('present a renewed certificate without a restart', async () => {
    certificate = writeCertificate();
    const trusted = (): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connectTls({ host: '127.0.0.1', port, ca: certificate }, () => resolve(socket.end().authorized));
        socket.on('error', () => resolve(false));
      });
    await expect.poll(trusted).toBe(true);
    expect(await statusOf('/v1/employees')).toBe(200);
    onDay(60, 'the certificate of the gateway is renewed: it serves the new one without a restart');
  });

  it('open connections to PostgreSQL with a changed password without a restart', async () => {
    const file = join(secretsOf('export'), 'PGPASSWORD');
    const right = readFileSync(file);
    const admin = new Client({ connectionString: stack.databaseUrl });
    await admin.connect();
    const afterReconnect = async (): Promise<number | undefined> => {
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'survey_export' and datname = current_database()`,
      );
      return statusOf('/v1/employees');
    };
    try {
      writeFileSync(file, 'wrong');
      await expect.poll(afterReconnect).toBe(503);
      writeFileSync(file, right);
      await expect.poll(() => statusOf('/v1/employees')).toBe(200);
      onDay(30, 'a pod has a wrong password of PostgreSQL: lists are 503, until its file has the right one');
    } finally {
      await admin.end();
    }
  });
});
