import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SERVICES, type ServiceName } from '@survey/local/service-environments.ts';
import { migrate } from '@survey/postgres/migrate.ts';
import { expect, it } from 'vitest';
import { CURRENT, startHistories, type Histories } from '../failure/histories/histories.ts';
import { checkOut, previousRelease } from '../failure/previous-release.ts';
import { startWholeStack, type WholeStack } from '../failure/whole-stack.ts';
import { reportSkipped } from '../support/skipped.ts';

const release = await previousRelease();
// Both versions mask as they do by default.
const MASKER_MODEL_DIR = fileURLToPath(new URL('../../packages/text/models/recogniser', import.meta.url));
const missing =
  release === undefined
    ? 'no history of this repository, from which the last release is checked out'
    : existsSync(MASKER_MODEL_DIR)
      ? undefined
      : 'the masking model is missing: npm run fetch-model';
if (missing !== undefined) reportSkipped('upgrade', missing);

// Load balancers notice readiness with a delay.
const DRAINING = { DRAIN_DELAY_MS: '1500' };
// Settings that an installation of the last release has and this version no longer knows.
const FORMER = { API_KEY_CACHE_SECRET: 'a secret of the last release, no longer read' };
const VERSIONS = 2;
// Service to replace; default: each.
const ONLY = process.env['UPGRADE_ONLY'];
const REVOKED_WITHIN_MS = 4_000;

/**
 * Upgrades a running installation of the last release service by service, and then rolls the
 * services back in the same order, while clients read and write. Each service also runs beside its
 * own other version. Going forward, every service meets the older version of all later ones; going
 * back, every service meets the newer version of all later ones. So both versions of each service
 * meet both versions of each other.
 */
it.skipIf(missing !== undefined)(
  `shows what was written while each service of ${release?.subject ?? 'the last release'} is upgraded and rolled back`,
  { timeout: 1_200_000 },
  async () => {
    if (release === undefined) return;
    const root = await checkOut(release);
    const folder = await mkdtemp(join(tmpdir(), 'survey-upgrade-'));
    const { migrate: migrateFormer }: { migrate: typeof migrate } = await import(
      pathToFileURL(join(root, 'packages/postgres/src/migrate.ts')).href
    );
    try {
      await using stack = await startWholeStack({
        folder,
        root,
        migrateTo: migrateFormer,
        copies: 2,
        running: 1,
        settings: { ...DRAINING, ...FORMER, MASKER: 'rules+model', MASKER_MODEL_DIR },
      });
      const routes = [{ name: 'the gateways', url: stack.gatewayUrl, employees: CURRENT }];
      await using histories = await startHistories(stack, { routes, revokedWithinMs: REVOKED_WITHIN_MS });
      await passes(histories, 'before the upgrade');
      await migrate({ databaseUrl: stack.around.databaseUrl, rolePasswords: stack.around.rolePasswords });
      await passes(histories, 'with the new schema');
      await replaceEach(stack, histories, undefined);
      await forgetFormer(stack);
      await passes(histories, 'with masks of the new version');
      await replaceEach(stack, histories, root);
      expect(Object.values(stack.instances).flatMap((both) => both.flatMap(({ deaths }) => deaths))).toEqual([]);
      console.log(`${release.hash.slice(0, 8)} ${release.subject}: ${JSON.stringify(histories.counts())}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

async function replaceEach(stack: WholeStack, histories: Histories, root: string | undefined): Promise<void> {
  const version = root === undefined ? 'new' : 'former';
  for (const service of SERVICES.filter((one) => ONLY === undefined || one === ONLY)) {
    const { running, other } = instancesOf(stack, service);
    other.change({ root });
    await other.start();
    await passes(histories, `with a ${version} ${service} beside the other one`);
    await running.stop();
    await passes(histories, `with a ${version} ${service}`);
  }
}

// As minutes after the last process of the former release, when the new one no longer masks by a
// version that the former one knows.
async function forgetFormer({ db }: WholeStack): Promise<void> {
  await db.query(
    `with due as (insert into text.due (kind, account_id, due_at) select 'backfill', account_id, now() from text.backfill where stage = 'mask')
     update text.backfill set version = split_part(version, ' ', 1) || ' 0 none', basis = 'none' where stage = 'mask' and version is not null`,
  );
  const masked = "select from text.backfill where stage = 'mask' and (basis = 'none' or enqueued_below = 0)";
  await expect.poll(async () => (await db.query(masked)).rowCount).toBe(0);
}

function instancesOf({ instances }: WholeStack, service: ServiceName) {
  const running = instances[service].find(({ isUp }) => isUp);
  const other = instances[service].find(({ isUp }) => !isUp);
  if (running === undefined || other === undefined) throw new Error(`cannot replace ${service}: expected one of two instances`);
  return { running, other };
}

async function passes(histories: Histories, when: string): Promise<void> {
  await histories.progress(VERSIONS).catch((error: unknown) => {
    throw new Error(`${when}: ${String(error)}`);
  });
  expect({ when, anomalies: histories.anomalies(), rejected: histories.rejected() }).toEqual({
    when,
    anomalies: [],
    rejected: [],
  });
}
