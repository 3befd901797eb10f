import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { setup as assembleCharts } from '../chart/global-setup.ts';
import { docker, hasEngine } from './docker.ts';

declare module 'vitest' {
  interface ProvidedContext {
    image: string;
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TAG = 'survey:under-test';

const NO_ENGINE = `the image tests need a Docker engine, and none answers: start Docker, or give DOCKER_HOST.
They also need a base image with Node (BASE_IMAGE, node:24-bookworm-slim by default) and PostgreSQL, NATS and Redis
(POSTGRES_IMAGE, NATS_IMAGE, REDIS_IMAGE); .ci/image makes all of them on a bare Debian machine.`;

/** Builds the image that is tested. Without an engine there is nothing to test: that is a failure here, because nobody runs this by chance. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!(await hasEngine())) throw new Error(NO_ENGINE);
  const tidy = await assembleCharts(project);
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const base = process.env['BASE_IMAGE'] ?? 'node:24-bookworm-slim';
  const given = Object.entries({ BASE_IMAGE: base, VERSION: '0.1.0', REVISION: revision, SOURCE: 'https://example.org/survey' });
  process.stderr.write('building the image: the first time this takes minutes\n');
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
  return tidy;
}
