import { fileURLToPath } from 'node:url';

import { PARTS } from './dist/run/parts.js';
import { TYPEORM_PACKAGES } from './dist/run/typeorm-versions.js';
import { ALL_ENGINES, CLUSTERS } from './dist/servers/engines.js';
import { SQLITE } from './run/new-sqlite.js';

const rootDir = fileURLToPath(new URL('..', import.meta.url));

const MOST_WORKERS = Math.max(...PARTS.map(({ workers }) => workers));

/** Settings that all parts share. */
const common = {
  rootDir,
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/', '<rootDir>/test/packaging/apps/'],
  testEnvironment: 'node',
  // Tests import the packages from their source, without a build. Processes that tests start run what was built.
  testEnvironmentOptions: { customExportConditions: ['@tablequeue/source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', ...(SQLITE && { '^better-sqlite3$': SQLITE }) },
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

/** The engines that a part does not run on. */
function enginesWithout({ engines }) {
  return engines ? [...ALL_ENGINES, ...CLUSTERS].filter((engine) => !engines.includes(engine)) : [];
}

/**
 * One project for each part. Jest has a runner for each of these options, and runs them one after another.
 *
 * @type {import('jest').Config}
 */
export default {
  rootDir,
  maxWorkers: MOST_WORKERS,
  // A worker keeps the modules of all files it has run. A new one starts when it has grown to this.
  workerIdleMemoryLimit: '1GB',
  // How many `test.concurrent` of one file run at a time.
  maxConcurrency: 4,
  testTimeout: 60_000,
  testSequencer: '<rootDir>/test/run/longest-first-sequencer.js',
  reporters: ['default', '<rootDir>/test/dist/run/tally-reporter.js'],
  projects: PARTS.map((part) => ({
    ...common,
    displayName: part.name,
    roots: [...new Set(part.files.map((file) => `<rootDir>/${file.split('/')[0]}`))],
    testMatch: part.files.map((file) => `<rootDir>/${file}`),
    moduleNameMapper: { ...common.moduleNameMapper, '^typeorm$': TYPEORM_PACKAGES[part.typeorm] },
    setupFiles: ['test/run/leave-out-engines.js', part.setup].filter(Boolean).map((file) => `<rootDir>/${file}`),
    globals: { typeormVersion: part.typeorm, leftOutEngines: enginesWithout(part) },
    runner: ['<rootDir>/test/run/part-runner.js', { workers: part.workers, ...(part.isAlone && { part: part.name }) }],
  })),
};
