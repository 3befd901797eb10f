import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { loadSecretFiles } from '@survey/process/secret-files.ts';

const TIMEOUT_MS = 10_000;
/** Authority of the gateway's certificate, a file of SECRETS_DIR. */
const AUTHORITY = 'gateway-ca.crt';

/** Checks that the gateway rejects requests without a key and accepts API_KEY, if set. */
const [url = ''] = process.argv.slice(2);
try {
  loadSecretFiles();
  const { API_KEY: apiKey, SECRETS_DIR: folder } = process.env;
  if (url.startsWith('https:') && folder !== undefined)
    setDefaultCACertificates([...getCACertificates(), readFileSync(join(folder, AUTHORITY), 'utf8')]);
  await expectStatus(url, {}, 401);
  if (apiKey !== undefined) await expectStatus(url, { 'X-Api-Key': apiKey }, 200);
  process.stdout.write(`the gateway asks for a key${apiKey === undefined ? '' : ' and accepts this one'}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 1;
}

async function expectStatus(url: string, headers: Record<string, string>, expected: number): Promise<void> {
  const response = await fetch(new URL('/v1/employees?limit=1', url), { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (cause: unknown) => {
      throw new Error(`no gateway answers at ${url}`, { cause });
    },
  );
  await response.body?.cancel();
  if (response.status === expected) return;
  throw new Error(
    `a request with${expected === 401 ? 'out a' : ' the'} key was answered with ${response.status}, not ${expected}`,
  );
}
