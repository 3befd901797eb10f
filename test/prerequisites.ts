/** A project of vitest.config.ts. */
export type Project = 'unit' | 'outside' | keyof typeof REQUIRED;

/**
 * Returns why no test of a project can run on this machine, if so. What only some tests of it need,
 * their files report themselves (support/skipped.ts).
 */
export async function whatIsMissing(project: Project): Promise<string | undefined> {
  return project === 'unit' || project === 'outside' ? undefined : REQUIRED[project]();
}

const REQUIRED = {
  system: missingBackend,
  proofs: missingBackend,
  citus: missingBackend,
  faults: missingBackend,
  chart: missingHelm,
  cluster: async () => {
    const { findTools } = await import('./support/chart/tools.ts');
    const { helm3, helm4 } = await findTools();
    if (helm3 === undefined || helm4 === undefined) return 'Helm 3 and Helm 4 are needed: `.ci/tools` makes them with Go';
    const { findCluster } = await import('./cluster/control-plane.ts');
    const cluster = await findCluster();
    return typeof cluster === 'string' ? cluster : undefined;
  },
  image: missingEngine,
  'through-image': missingEngine,
};

async function missingBackend(): Promise<string | undefined> {
  const { TEST_BACKEND, CITUS_URL } = process.env;
  if (TEST_BACKEND === 'citus' && CITUS_URL === undefined)
    return "CITUS_URL is not set: the superuser URL of a coordinator's database without tables";
  if (TEST_BACKEND !== 'containers') return undefined;
  const { whatContainersMiss } = await import('./support/containers/what-is-missing.ts');
  return whatContainersMiss();
}

async function missingHelm(): Promise<string | undefined> {
  const { findTools } = await import('./support/chart/tools.ts');
  const { helm3 } = await findTools();
  return helm3 === undefined ? 'Helm 3 is needed: install it, or run `.ci/tools`, which makes it with Go' : undefined;
}

async function missingEngine(): Promise<string | undefined> {
  const { hasEngine } = await import('./image/docker.ts');
  if (!(await hasEngine()))
    return 'no Docker engine responds: start Docker or set DOCKER_HOST; on Debian, `.ci/image` brings one';
  return missingHelm();
}
