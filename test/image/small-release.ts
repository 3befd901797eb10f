import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import type { Manifest } from '../support/chart/manifest.ts';
import { parseManifests, render } from '../support/chart/render.ts';
import { makeCertificates } from './certificates.ts';
import { docker } from './docker.ts';
import { openRelease, type Release } from './release.ts';

const SCRIPT = fileURLToPath(new URL('../../deploy/bin/bootstrap-secrets', import.meta.url));
const IMAGES = {
  postgres: process.env['POSTGRES_IMAGE'] ?? 'postgres:15',
  nats: process.env['NATS_IMAGE'] ?? 'nats:2.11.1',
  redis: process.env['REDIS_IMAGE'] ?? 'redis:7',
} as const;

// Services and clients share one machine, so load shedding must not count as a failed rollout.
const NO_LOAD_SHEDDING = ['name=MAX_EVENT_LOOP_DELAY_MS', 'value=10000'].map((part) => `components.gateway.extraEnv[0].${part}`);

const ENCRYPTED = ['tls.mode=mutual', 'tls.certManager.enabled=true', 'tls.certManager.issuerRef.name=survey'];

type Secrets = Record<string, Record<string, string>>;

/** Renders the small profile with mutual TLS; default: the image and the chart under test. */
export async function renderSmall(image = inject('image'), chart = inject('chart')): Promise<Manifest[]> {
  const users = (await Promise.all(Object.keys(IMAGES).map(userValue))).flat();
  const tags = Object.entries(IMAGES).flatMap(([store, image]) => imageValues(`bundled.${store}.image`, image));
  return render({
    chart,
    values: ['profiles/small.yaml'],
    set: [...users, ...ENCRYPTED],
    setString: [...imageValues('image', image), ...tags, ...NO_LOAD_SHEDDING],
  });
}

/** Creates a release of `renderSmall` with only its stores running. */
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

/** Returns the secrets of bootstrap-secrets. */
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

// Images with the same name can have different user IDs.
async function userValue(store: string): Promise<string[]> {
  const user = await docker('run', '--rm', '--entrypoint', 'id', IMAGES[store as keyof typeof IMAGES], '-u', store).catch(
    () => '0',
  );
  return user === '0' ? [] : [`bundled.${store}.image.user=${user}`];
}

export function jobOf({ cluster }: Release): Manifest {
  const job = cluster.manifests.find(({ kind }) => kind === 'Job');
  if (job === undefined) throw new Error('cannot prepare the stores: the chart renders no job');
  return job;
}

/** Runs the job that migrates schema and streams. @throws with its output when it fails. */
export async function prepareStores(release: Release): Promise<void> {
  const { code, output } = await release.complete(jobOf(release));
  if (code !== 0) throw new Error(output);
}
