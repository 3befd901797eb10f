import { setTimeout as sleep } from 'node:timers/promises';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { IMAGES } from './images.ts';

const ENGINE_TIMEOUT_MS = 10_000;

const NO_ENGINE = `--backend=containers needs a Docker engine, and none answers. Any one of these helps:
  start Docker, or give the address of another engine: DOCKER_HOST=…
  Debian, as root: .ci/containers installs and starts one, makes the images and runs the system tests`;

/** Returns why tests cannot run in containers and how to fix it, or undefined. Pulls no images. */
export async function whatIsMissing(): Promise<string | undefined> {
  const late = sleep(ENGINE_TIMEOUT_MS, undefined, { ref: false });
  // Throws for any reason when no engine responds.
  const engine = await Promise.race([getContainerRuntimeClient().catch(() => undefined), late]);
  if (engine === undefined) return NO_ENGINE;
  const absent: string[] = [];
  for (const image of Object.values(IMAGES)) if (!(await engine.image.exists(ImageName.fromString(image)))) absent.push(image);
  return absent.length === 0 ? undefined : howToGet(absent);
}

function howToGet(images: readonly string[]): string {
  return `--backend=containers needs images that the Docker engine does not have, and pulls none unasked: ${images.join(', ')}
Any one of these helps:
  pull them:                  ${images.map((image) => `docker pull ${image}`).join(' && ')}
  name others that you have:  POSTGRES_IMAGE=… NATS_IMAGE=… REDIS_IMAGE=… npm test -- --backend=containers
  without a registry:         .ci/containers, as root on Debian, makes postgres:15, nats:2.9 and redis:7 from Debian's packages`;
}
