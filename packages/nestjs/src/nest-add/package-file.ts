import type { NestAddOptions } from './schematic.js';

/** The releases of other packages that fit a release of Nest. Later releases take the last line. */
const COMPANIONS = {
  10: { '@nestjs/typeorm': '^10.0.2', '@nestjs/schedule': '^4.1.0', '@nestjs/terminus': '^11.0.0', typeorm: '^0.3.20' },
  11: { '@nestjs/typeorm': '^11.0.0', '@nestjs/schedule': '^6.0.0', '@nestjs/terminus': '^11.0.0', typeorm: '^1.0.0' },
  12: { '@nestjs/typeorm': '^12.0.0', '@nestjs/schedule': '^12.0.0', '@nestjs/terminus': '^12.0.0', typeorm: '^1.0.0' },
};
const MYSQL2 = '^3.11.0';
const BETTER_SQLITE3 = '^12.0.0';

/** What the schematic reads and changes in `package.json`. */
interface PackageFile {
  readonly type?: string;
  readonly scripts?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly jest?: Record<string, unknown>;
}

/** The settings with which Jest runs ES modules of these packages as CommonJS. */
const JEST = { transformIgnorePatterns: ['/node_modules/(?!(@tablequeue|@nestjs|uuid)/)'] };

export function isEsModule(text: string): boolean {
  return (JSON.parse(text) as PackageFile).type === 'module';
}

/**
 * Adds what the application needs to its `package.json`. What is there stays.
 *
 * @param version the release of the packages of Tablequeue.
 */
export function extendPackageFile(text: string, options: NestAddOptions, version: string): string {
  const file = JSON.parse(text) as PackageFile;
  const release = Number(/\d+/.exec(file.dependencies?.['@nestjs/core'] ?? '')?.[0] ?? 12);
  const companions = COMPANIONS[release <= 10 ? 10 : release === 11 ? 11 : 12];
  const { '@nestjs/terminus': terminus, ...always } = companions;
  const isSqlite = options.database === 'sqlite';
  const dependencies = {
    ...always,
    '@tablequeue/typeorm': `^${version}`,
    ...(options.health && { '@nestjs/terminus': terminus }),
    ...(options.dashboard && { '@tablequeue/dashboard': `^${version}` }),
    ...(isSqlite ? { 'better-sqlite3': BETTER_SQLITE3 } : { mysql2: MYSQL2 }),
  };
  // The test of the sample job has its database in memory.
  const devDependencies: Record<string, string> = isSqlite ? {} : { 'better-sqlite3': BETTER_SQLITE3 };
  const extended = {
    ...file,
    scripts: { 'migration:run': 'typeorm migration:run -d dist/database/data-source.js', ...file.scripts },
    dependencies: sorted({ ...dependencies, ...file.dependencies }),
    devDependencies: sorted({ ...devDependencies, ...file.devDependencies }),
    ...(file.jest && { jest: { ...JEST, ...file.jest } }),
  };
  return `${JSON.stringify(extended, null, 2)}\n`;
}

function sorted(record: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
