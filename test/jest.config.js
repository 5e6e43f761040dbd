/** @type {import('jest').Config} */
export default {
  rootDir: '..',
  roots: ['<rootDir>/packages', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.*/dist/'],
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
  testTimeout: 60_000,
  // One of the tests measures how long an enqueue takes at most. In CI no other test runs beside it.
  maxWorkers: process.env.CI === 'true' ? 1 : 2,
  reporters: ['default', '<rootDir>/test/dist/run/tally-reporter.js'],
};
