import { availableParallelism, totalmem } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { NOT_ON_CITUS } from './test/not-on-citus.ts';

const THROUGH_IMAGE = [
  'get-employees',
  'get-scores',
  'get-scores-rejected',
  'get-surveys',
  'get-questions',
  'get-attributes',
  'get-survey-cycles',
  'get-survey-assignments',
  'get-initiatives',
  'get-text-responses',
  'get-text-responses-rejected',
  'text-responses-masked',
  'post-employee-imports',
  'post-employee-imports-body',
  'import-values',
  'import-threshold',
  'intake-employees',
  'events',
  'api-keys',
  'openapi',
];

const { TEST_BACKEND, TEST_PROJECT } = process.env;
const ON_CITUS = TEST_BACKEND === 'citus';

// Generous limits: shorter ones would test the speed of the machine.
const SERVERS = { globalSetup: ['test/global-setup.ts'], testTimeout: 180_000, hookTimeout: 180_000 };
const FAULTS = 'test/failure/{import-faults,import-ablations,account-deletion-faults,employee-erasure-faults}.test.ts';
// Kills a worker, so that no other file may use the cluster.
const ALONE_ON_CITUS = 'test/system/citus-worker.test.ts';

// Random histories, employees and code points of tests that `npm test` runs with few: as many as
// two processors manage within the time limit of `checkInParallel`.
const SEEDS = {
  SESSION_SEEDS: '3000',
  IMPORT_SEEDS: '300',
  SCORE_SEEDS: '700',
  TEXT_SEEDS: '150',
  FACT_SEEDS: '400',
  GUARD_SEEDS: '16',
  REKEYED_EMPLOYEES: '10000',
  SCHEDULES_EVERY: '1',
  READING_SEEDS: '2000',
  CODE_POINT_STEP: '1',
};
const WITH_FEW = [
  'test/{property/{import,scores},system/employee-rekey,reconcile/email-key}.test.ts',
  '{packages/formats/src/email-key,services/import-reconciler/src/snapshot/read-snapshot.property}.test.ts',
];
const PROOFS = 'test/{proofs/**/*,failure/**/*,property/!(import|scores)}.test.ts';

// The project's Node runs TypeScript as it is; the system's may be older.
const NODE = 24;
if (Number.parseInt(process.versions.node, 10) < NODE) {
  process.stderr.write(
    `Node ${NODE} is needed, this is ${process.versions.node}: \`npx vitest\` finds that of this repository\n`,
  );
  process.exit(2);
}

// Files share the loaded modules: loading them takes longer than most tests.
const ISOLATE = false;

// More files run than there are processors, because many wait for timers or servers part of the
// time. Each takes up to a gibibyte.
const FILES_AT_A_TIME = Math.max(2, Math.floor(Math.min(2.5 * availableParallelism(), totalmem() / 2 ** 30 - 2)));

// Without the times of an earlier run, vitest starts large files first. These are small and take
// long, so one of them would be left to run alone at the end.
const SMALL_AND_LONG =
  /\/(revocation|import-turns|text-topics-learned|row-types|facts|docs-browser|statement-plans|import-memory|upgrade|read-histories)\.test\.ts$/;

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => SMALL_AND_LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// System tests that use only HTTP and surveyctl, with services from the image.
const throughImage: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'through-image',
    include: THROUGH_IMAGE.map((name) => `test/system/${name}.test.ts`),
    env: { TEST_IMAGE: 'survey:under-test' },
    globalSetup: ['test/global-setup.ts', 'test/image/global-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
  },
};

const citus: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'citus', include: [ALONE_ON_CITUS], ...SERVERS, maxWorkers: 1 },
};

export default defineConfig({
  test: {
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFilesFirst },
    // For test/run.ts. Drawing the summary again and again would erase the lines of other tasks.
    ...(TEST_PROJECT !== undefined && { reporters: [['default', { summary: false }], 'json'] }),
    // Node runs the sources as in production; a transformation could hide syntax that Node rejects.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{packages,clients,services,deploy,tools}/**/*.test.ts'],
          testTimeout: 120_000,
          isolate: ISOLATE,
          maxWorkers: FILES_AT_A_TIME,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'test/chart/**',
            'test/cluster/**',
            'test/image/**',
            'test/outside/**',
            PROOFS,
            ALONE_ON_CITUS,
            ...(ON_CITUS ? Object.keys(NOT_ON_CITUS) : []),
          ],
          ...SERVERS,
          isolate: ISOLATE,
          maxWorkers: FILES_AT_A_TIME,
        },
      },
      {
        extends: true,
        test: {
          name: 'proofs',
          include: [PROOFS, ...(TEST_PROJECT === 'proofs' ? WITH_FEW : [])],
          exclude: ['**/node_modules/**', FAULTS],
          env: { ...SEEDS, ...process.env },
          ...SERVERS,
          isolate: ISOLATE,
          maxWorkers: 1.5 * availableParallelism(),
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: [FAULTS],
          // Each file starts and kills many processes, too many for two files at a time.
          maxWorkers: 1,
          globalSetup: ['test/global-setup.ts'],
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'chart',
          include: ['test/chart/**/*.test.ts'],
          globalSetup: ['test/chart/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          maxConcurrency: 3,
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: ['test/cluster/global-setup.ts'],
          // Every test waits for several rollouts.
          testTimeout: 900_000,
          hookTimeout: 120_000,
          // One file at a time, because some files drain nodes or delete definitions.
          maxWorkers: 1,
          maxConcurrency: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'outside',
          include: ['test/outside/**/*.test.ts'],
          globalSetup: ['test/outside/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'image',
          include: ['test/image/**/*.test.ts'],
          globalSetup: ['test/image/global-setup.ts'],
          // A rollout starts ten containers in sequence, which takes minutes on a busy machine.
          testTimeout: 900_000,
          hookTimeout: 600_000,
          // One file at a time, because the files count failed requests.
          maxWorkers: 1,
        },
      },
      // These projects repeat files of others. They exist only for test/run.ts, so that
      // `npx vitest run FILE` runs a file once.
      ...(TEST_PROJECT === 'through-image' ? [throughImage] : []),
      ...(ON_CITUS ? [citus] : []),
    ],
  },
});
