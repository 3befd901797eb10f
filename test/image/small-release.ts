import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { Manifest } from '../chart/manifest.ts';
import { parseManifests, render } from '../chart/render.ts';
import { makeCertificates } from './certificates.ts';
import { docker } from './docker.ts';
import { openRelease, type Release } from './release.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/bin/bootstrap-secrets', import.meta.url));
const IMAGES = {
  postgres: process.env['POSTGRES_IMAGE'] ?? 'postgres:15',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2.9',
  redis: process.env['REDIS_IMAGE'] ?? 'redis:7',
} as const;

// This machine serves all of it, the clients included: that it is late now and then is no fault of a rollout.
const CALM = 'components.gateway.settings.maxEventLoopDelayMs=10000';

const ENCRYPTED = ['tls.mode=mutual', 'tls.certManager.enabled=true', 'tls.certManager.issuerRef.name=survey'];

export type Secrets = Record<string, Record<string, string>>;

/** The small profile with its stores and mutual TLS between services, as a chart renders it for an image; by default both are those under test. */
export async function renderSmall(
  image = inject('image'),
  chart = inject('chart'),
  more: readonly string[] = [],
): Promise<Manifest[]> {
  const users = (await Promise.all(Object.keys(IMAGES).map(userValue))).flat();
  const tags = Object.entries(IMAGES).flatMap(([store, image]) => imageValues(`bundled.${store}.image`, image));
  return render({
    chart,
    values: ['profiles/small.yaml'],
    set: [...users, CALM, ...ENCRYPTED, ...more],
    setString: [...imageValues('image', image), ...tags],
  });
}

/** A release of `renderSmall`: stores running and nothing else yet. */
export async function openSmallRelease(secrets: Secrets, manifests: readonly Manifest[]): Promise<Release> {
  const release = await openRelease(manifests, { ...secrets, ...(await makeCertificates(manifests)) });
  try {
    await Promise.all(Object.keys(IMAGES).map((store) => release.add(store)));
    return release;
  } catch (error) {
    await release[Symbol.asyncDispose]();
    throw error;
  }
}

/** What bootstrap-secrets makes. */
export function bootstrapSecrets(): Secrets {
  const made = parseManifests(execFileSync(SCRIPT, { encoding: 'utf8' })) as (Manifest & {
    stringData: Record<string, string>;
  })[];
  return Object.fromEntries(made.map(({ metadata, stringData }) => [metadata.name, stringData]));
}

function imageValues(at: string, image: string): string[] {
  const [repository, tag] = image.split(':');
  return [`${at}.repository=${repository}`, `${at}.tag=${tag}`];
}

// Images of one name differ in the number of their user.
async function userValue(store: string): Promise<string[]> {
  const user = await docker('run', '--rm', '--entrypoint', 'id', IMAGES[store as keyof typeof IMAGES], '-u', store).catch(
    () => '0',
  );
  return user === '0' ? [] : [`bundled.${store}.image.user=${user}`];
}

export function jobOf({ cluster }: Release): Manifest {
  const job = cluster.manifests.find(({ kind }) => kind === 'Job');
  if (job === undefined) throw new Error('the chart renders no job');
  return job;
}

/** Runs the job that brings schema and streams to the version of the release. Throws what it said when it fails. */
export async function prepareStores(release: Release): Promise<void> {
  const { code, output } = await release.complete(jobOf(release));
  if (code !== 0) throw new Error(output);
}
