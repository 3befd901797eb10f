import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCertificates } from '../support/test-certificates.ts';
import type { Manifest } from '../support/chart/manifest.ts';

type Secrets = Record<string, Record<string, string>>;

/** Creates the secrets that cert-manager would create for the Certificates of a render. */
export async function makeCertificates(manifests: readonly Manifest[]): Promise<Secrets> {
  const folder = await mkdtemp(join(tmpdir(), 'survey-certificates-'));
  try {
    const certificates = new TestCertificates(folder);
    certificates.makeAuthority('ca');
    const secrets: Secrets = {};
    for (const { kind, spec } of manifests)
      if (kind === 'Certificate') {
        certificates.make('tls', namesOf(spec));
        secrets[String(spec?.['secretName'])] = await readSecret(folder);
      }
    return secrets;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function namesOf(spec: Manifest['spec']): string {
  const { dnsNames = [], uris = [] } = spec as { dnsNames?: string[]; uris?: string[] };
  return [...dnsNames.map((name) => `DNS:${name}`), ...uris.map((uri) => `URI:${uri}`)].join(',');
}

async function readSecret(folder: string): Promise<Record<string, string>> {
  const files = ['tls.crt', 'tls.key', 'ca.crt'].map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(files));
}
