import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { type Finding, ok, warningIf } from './finding.ts';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_MS = 7 * DAY_MS;
// Whoever trusts an authority needs its successor before it signs.
const AUTHORITY_EXPIRES_SOON_MS = 30 * DAY_MS;
const TIMEOUT_MS = 5_000;

export async function checkCertificates(file: string): Promise<Finding[]> {
  // Bounded: certificates in one file.
  const ends = Math.min(...(await readCertificates(file)).map(endOf));
  return [expiryFinding(`certificate ${file}`, ends, EXPIRES_SOON_MS, 'CertExpiring')];
}

export async function checkAuthorities(file: string): Promise<Finding[]> {
  const ends = (await readCertificates(file)).map(endOf);
  const expiring = ends.filter((end) => end - Date.now() < AUTHORITY_EXPIRES_SOON_MS).length;
  const detail = `${expiring} of ${ends.length} have expired or do so within a month`;
  return [warningIf(expiring > 0, `authorities ${file}`, detail, 'rotate-secrets')];
}

/** Checks whether one of the authorities has signed the certificate, which others then accept. */
export async function checkIssuer(file: string, authoritiesFile: string): Promise<Finding[]> {
  const [certificate] = await readCertificates(file);
  const isSigned = (await readCertificates(authoritiesFile)).some(
    (authority) => certificate?.checkIssued(authority) === true && certificate.verify(authority.publicKey),
  );
  if (isSigned) return [ok('certificate issuer', 'one of the authorities')];
  const detail = 'no authority of this release has signed the certificate; issue it again';
  return [{ check: 'certificate issuer', status: 'failed', detail, runbook: 'rotate-secrets' }];
}

/** Checks the expiry of what a store presents and of its authority, even if it is not trusted. */
export async function checkServedCertificate(store: string, url: string | undefined): Promise<Finding[]> {
  const certificate = url === undefined ? undefined : await servedCertificate(url);
  if (certificate === undefined) return [];
  const check = `certificate of ${store}`;
  const findings = [expiryFinding(check, Date.parse(certificate.valid_to), EXPIRES_SOON_MS, 'rotate-secrets')];
  // A self-signed one is its own issuer.
  const issuer = certificate.issuerCertificate as DetailedPeerCertificate | undefined;
  if (issuer !== undefined && issuer !== certificate)
    findings.push(
      expiryFinding(`authority of ${store}`, Date.parse(issuer.valid_to), AUTHORITY_EXPIRES_SOON_MS, 'rotate-secrets'),
    );
  return findings;
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

// How a client of each protocol begins TLS. Sentinels are left out, because their URL does not name
// the server that presents a certificate.
const BEGINNINGS: Readonly<Record<string, { port: number; begin?: (socket: Socket) => Promise<unknown> }>> = {
  'postgres:': { port: 5432, begin: (socket) => answer(socket, SSL_REQUEST) },
  'postgresql:': { port: 5432, begin: (socket) => answer(socket, SSL_REQUEST) },
  'tls:': { port: 4222, begin: (socket) => answer(socket) },
  'rediss:': { port: 6379 },
  'smtps:': { port: 465 },
};

async function answer(socket: Socket, request?: Uint8Array): Promise<void> {
  if (request !== undefined) socket.write(request);
  await once(socket, 'data', { signal: AbortSignal.timeout(TIMEOUT_MS) });
}

async function servedCertificate(urls: string): Promise<DetailedPeerCertificate | undefined> {
  const url = URL.parse(urls.split(',')[0] ?? '');
  const beginning = BEGINNINGS[url?.protocol ?? ''];
  const mode = url?.searchParams.get('sslmode');
  if (url === null || beginning === undefined) return undefined;
  if (url.protocol.startsWith('postgres') && (mode === null || mode === 'disable')) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(url.port) || beginning.port, timeout: TIMEOUT_MS });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    await beginning.begin?.(socket);
    const secure = connectTls({ socket, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
    await once(secure, 'secureConnect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return secure.getPeerCertificate(true);
  } finally {
    socket.destroy();
  }
}

function expiryFinding(check: string, ends: number, soonMs: number, runbook: string): Finding {
  const detail = `valid until ${new Date(ends).toISOString()}`;
  if (ends < Date.now()) return { check, status: 'failed', detail: `expired: ${detail}`, runbook };
  return warningIf(ends - Date.now() < soonMs, check, detail, runbook);
}

const endOf = ({ validToDate }: X509Certificate): number => validToDate.getTime();

async function readCertificates(file: string): Promise<X509Certificate[]> {
  const blocks = (await readFile(file, 'utf8')).match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error('contains no certificate');
  return blocks.map((block) => new X509Certificate(block));
}
