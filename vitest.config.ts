import { defineConfig } from 'vitest/config';

const THROUGH_IMAGE = [
  'get-employees',
  'get-scores',
  'get-scores-refused',
  'get-surveys',
  'get-questions',
  'get-attributes',
  'get-survey-cycles',
  'get-survey-assignments',
  'get-initiatives',
  'get-text-responses',
  'get-text-responses-refused',
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

export default defineConfig({
  test: {
    // What is waited for comes when it comes: a second would be a statement about the machine.
    expect: { poll: { timeout: 30_000 } },
    // Node runs the sources themselves, as in production: no transformation that could hide what Node refuses.
    experimental: { viteModuleRunner: false },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['{packages,services,deploy,tools}/**/*.test.ts'], testTimeout: 30_000 },
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
            'test/failure/import-{faults,ablations}.test.ts',
          ],
          globalSetup: ['test/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // Each file has servers of its own.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['test/failure/import-{faults,ablations}.test.ts'],
          // Processes of their own, killed and paused: too many for two files at a time.
          maxWorkers: 1,
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
          // Each of them waits for several rollouts.
          testTimeout: 900_000,
          hookTimeout: 120_000,
          // One file at a time: some of them drain nodes or delete definitions.
          maxWorkers: 1,
          maxConcurrency: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'through-image',
          // Those that ask by HTTP and as operators alone, on services that run from the image.
          include: THROUGH_IMAGE.map((name) => `test/system/${name}.test.ts`),
          env: { TEST_IMAGE: 'survey:under-test' },
          globalSetup: ['test/global-setup.ts', 'test/image/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
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
          // A rollout starts ten containers, one after the other: minutes where others use the machine, too.
          testTimeout: 900_000,
          hookTimeout: 600_000,
          // One after the other: they measure what is lost while pods come and go.
          maxWorkers: 1,
        },
      },
    ],
  },
});
