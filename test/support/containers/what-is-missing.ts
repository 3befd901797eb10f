import { setTimeout as sleep } from 'node:timers/promises';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { IMAGES } from './images.ts';

const ENGINE_TIMEOUT_MS = 10_000;

const NO_ENGINE =
  'no Docker engine responds: start Docker or set DOCKER_HOST; on Debian, `.ci/containers` brings an engine and the images';

/** Returns why tests cannot run in containers and how to fix it, or undefined. Pulls no images. */
export async function whatContainersMiss(): Promise<string | undefined> {
  const late = sleep(ENGINE_TIMEOUT_MS, undefined, { ref: false });
  // Throws for any reason when no engine responds.
  const engine = await Promise.race([getContainerRuntimeClient().catch(() => undefined), late]);
  if (engine === undefined) return NO_ENGINE;
  const absent: string[] = [];
  for (const image of Object.values(IMAGES)) if (!(await engine.image.exists(ImageName.fromString(image)))) absent.push(image);
  return absent.length === 0 ? undefined : howToGet(absent);
}

function howToGet(images: readonly string[]): string {
  const pull = images.map((image) => `docker pull ${image}`).join(' && ');
  return `the Docker engine lacks images: ${pull}; or name others with POSTGRES_IMAGE, NATS_IMAGE and REDIS_IMAGE; or run \`.ci/containers\` on Debian`;
}
