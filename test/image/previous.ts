import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { docker } from './docker.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TAG = 'survey:previous';

/** The previous release: its image, and its chart with dependencies. */
interface Previous extends AsyncDisposable {
  readonly revision: string;
  readonly image: string;
  readonly chart: string;
}

/**
 * Builds the previous release: PREVIOUS, else the last tag, else the revision before the last
 * migration, so that the schema differs. Returns undefined when the history is too short.
 */
export async function openPrevious(helm: string): Promise<Previous | undefined> {
  const revision = await previousRevision();
  if (revision === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'survey-previous-'));
  const archive = join(folder, 'archive.tar');
  await run('git', ['archive', '--output', archive, revision], { cwd: ROOT });
  await run('tar', ['xf', archive, '-C', folder]);
  await rm(archive);
  // Version 0.1.0 took its stores and shared templates from two further charts.
  for (const chart of ['survey-deps', 'survey'])
    if (existsSync(join(folder, 'charts', chart, 'Chart.lock')))
      await run(helm, ['dependency', 'build', join(folder, 'charts', chart)]);
  const base = process.env['BASE_IMAGE'] ?? 'node:24-bookworm-slim';
  process.stderr.write(`building the image of ${revision} (minutes on the first run)\n`);
  await docker('build', '--file', join(folder, 'deploy/Dockerfile'), '--tag', TAG, '--build-arg', `BASE_IMAGE=${base}`, folder);
  const chart = join(folder, 'charts/survey');
  return { revision, image: TAG, chart, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function previousRevision(): Promise<string | undefined> {
  const given = process.env['PREVIOUS'];
  const tag = await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  const migrated = await git('log', '-1', '--format=%H', '--diff-filter=A', '--', 'packages/postgres/migrations');
  return git('rev-parse', '--verify', '--short', `${given ?? tag ?? `${migrated}^`}^{commit}`);
}

// Returns undefined when the command fails.
async function git(...args: string[]): Promise<string | undefined> {
  const result = await run('git', args, { cwd: ROOT }).catch(() => undefined);
  return result?.stdout.trim() || undefined;
}
