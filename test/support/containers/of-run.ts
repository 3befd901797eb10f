import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';

const HOME = 'survey.test.home';
const RUN = 'survey.test.run';

/** Returns the labels of a run's containers; `run` is the run's folder. */
export function labelsOf(run: string): Record<string, string> {
  // Several machines and clones may share an engine.
  return { [HOME]: `${hostname()}:${dirname(run)}`, [RUN]: basename(run) };
}

/** Removes all containers of a run with their data. */
export async function removeOfRun(run: string): Promise<void> {
  const { [HOME]: home, [RUN]: name } = labelsOf(run);
  await removeWhere([`${HOME}=${home}`, `${RUN}=${name}`], () => true);
}

/** Removes containers of this clone's runs whose folders no longer exist. */
export async function removeOfEarlierRuns(run: string): Promise<void> {
  const { [HOME]: home } = labelsOf(run);
  await removeWhere([`${HOME}=${home}`], async (name) => !(await exists(join(dirname(run), name))));
}

async function removeWhere(labels: string[], isWanted: (run: string) => boolean | Promise<boolean>): Promise<void> {
  const engine = (await getContainerRuntimeClient()).container.dockerode;
  const found = await engine.listContainers({ all: true, filters: { label: labels } });
  for (const { Id, Labels } of found) {
    if (await isWanted(Labels[RUN] ?? '')) await engine.getContainer(Id).remove({ force: true, v: true }).catch(unlessGone);
  }
}

function unlessGone(error: unknown): void {
  // 409: another process is already removing it.
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status !== 404 && status !== 409) throw error;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
