import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fetchMaskingModel } from '@survey/local/masking-model.ts';
import type { TestProject } from 'vitest/node';
import { setup as findTools } from '../chart/global-setup.ts';
import { docker } from './docker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    image: string;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TAG = 'survey:under-test';

/**
 * Builds the image under test from a base image with Node (BASE_IMAGE). The tests also need images
 * of PostgreSQL, NATS and Redis (POSTGRES_IMAGE, NATS_IMAGE, REDIS_IMAGE); on Debian, .ci/image
 * makes all of them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removeRenders = await findTools(project);
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const base = process.env['BASE_IMAGE'] ?? 'node:24-bookworm-slim';
  const given = Object.entries({ BASE_IMAGE: base, VERSION: '0.1.0', REVISION: revision, SOURCE: 'https://example.org/survey' });
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  await fetchMaskingModel(log);
  process.stderr.write('building the image (minutes on the first run)\n');
  await docker(
    'build',
    '--file',
    `${ROOT}/deploy/Dockerfile`,
    '--tag',
    TAG,
    ...given.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ROOT,
  );
  project.provide('image', TAG);
  return removeRenders;
}
