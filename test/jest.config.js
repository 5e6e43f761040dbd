import { fileURLToPath } from 'node:url';

const rootDir = fileURLToPath(new URL('..', import.meta.url));

/** What all tests have in common. */
const common = {
  rootDir,
  roots: ['<rootDir>/packages', '<rootDir>/test'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/test/packaging/apps/'],
  testEnvironment: 'node',
  // Packages are tested from their source, without a build; processes that tests start run what was built.
  testEnvironmentOptions: { customExportConditions: ['@tablequeue/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
};

/**
 * Tests that measure times, or run many processes: beside others they may go red. The units take seconds in all. The
 * sample's build what others have open.
 */
const ALONE = ['packages', 'test/concurrency', 'test/verify', 'test/clusters', 'test/sample'];
/** Tests that compile, or break connections by the hundred: beside them others may go red. They only make one another slower. */
const HEAVY = ['test/packaging', 'test/boundaries'];
/** Tests that wait most of the time, for leases and servers: beside their like they have a core each, and time enough. */
const WAITING = ['test/crash'];

const filesIn = (folders) => folders.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`);

/**
 * Jest runs the projects of one runner, with the same options, after those of the one before.
 *
 * @type {import('jest').Config}
 */
export default {
  rootDir,
  maxWorkers: 2,
  // Of tests of one file that wait for processes of their own.
  maxConcurrency: 4,
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/run/docs-first-sequencer.js',
  reporters: ['default', '<rootDir>/test/dist/run/tally-reporter.js'],
  projects: [
    {
      ...common,
      displayName: 'beside one another',
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: [...ALONE, ...HEAVY, ...WAITING].map((folder) => `<rootDir>/${folder}/`),
    },
    { ...common, displayName: 'heavy', testMatch: filesIn(HEAVY), runner: ['jest-runner', { turn: 'heavy' }] },
    { ...common, displayName: 'waiting', testMatch: filesIn(WAITING), runner: ['jest-runner', { turn: 'waiting' }] },
    { ...common, displayName: 'alone', testMatch: filesIn(ALONE), runner: '<rootDir>/test/run/serial-runner.js' },
  ],
};
