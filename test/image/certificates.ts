import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '../support/chart/manifest.ts';

type Secrets = Record<string, Record<string, string>>;

/** Creates the secrets that cert-manager would create for the Certificates of a render. */
export async function makeCertificates(manifests: readonly Manifest[]): Promise<Secrets> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-certificates-'));
  try {
    const authority = [
      'req',
      '-x509',
      ...KEY,
      '-days',
      '2',
      '-subj',
      '/CN=survey services',
      '-keyout',
      'ca.key',
      '-out',
      'ca.crt',
    ];
    execFileSync('openssl', authority, { cwd: folder, stdio: 'pipe' });
    const secrets: Secrets = {};
    for (const { kind, spec } of manifests)
      if (kind === 'Certificate') secrets[String(spec?.['secretName'])] = await sign(folder, namesOf(spec));
    return secrets;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function namesOf(spec: Manifest['spec']): string {
  const { dnsNames = [], uris = [] } = spec as { dnsNames?: string[]; uris?: string[] };
  return [...dnsNames.map((name) => `DNS:${name}`), ...uris.map((uri) => `URI:${uri}`)].join(',');
}

async function sign(folder: string, names: string): Promise<Record<string, string>> {
  const openssl = (...args: string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl('req', ...KEY, '-subj', '/CN=survey', '-keyout', 'tls.key', '-out', 'tls.csr');
  await writeFile(join(folder, 'names'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  const by = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'tls.csr', ...by, '-out', 'tls.crt');
  const files = ['tls.crt', 'tls.key', 'ca.crt'].map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(files));
}
