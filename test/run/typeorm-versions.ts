import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ALL_ENGINES, type Engine } from '../servers/engines.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The installed packages of TypeORM, by version. */
export const TYPEORM_PACKAGES = { '1': 'typeorm', '0.3': 'typeorm-0.3', '0.3.12': 'typeorm-0.3.12' } as const;

/** A version of TypeORM that tests can run with. */
export type TypeormVersion = keyof typeof TYPEORM_PACKAGES;

/** The version that all tests but those of conformance run with. */
const USUAL: TypeormVersion = '1';

/** The environment variable with the version for all tests. */
const VARIABLE = 'TABLEQUEUE_TEST_TYPEORM';

/**
 * The version that the conformance tests run with, by engine: MySQL and MariaDB share their code in TypeORM. On SQLite
 * the part of the newest Node.js runs with the other version.
 */
const CONFORMANCE: Readonly<Record<Engine, TypeormVersion>> = {
  sqlite: '1',
  mariadb: '1',
  mariadb118: '1',
  mysql: '0.3',
  mysql56: '1',
};

const chosen = process.env[VARIABLE];
if (chosen !== undefined && !(chosen in TYPEORM_PACKAGES)) {
  throw new Error(`${VARIABLE} is "${chosen}", but must be one of: ${Object.keys(TYPEORM_PACKAGES).join(', ')}.`);
}

/** The version that a part runs with, unless it has its own. */
export const TYPEORM = (chosen ?? USUAL) as TypeormVersion;

/** The version that the conformance tests run with too; undefined if the environment has chosen one for all tests. */
export const OTHER_TYPEORM: TypeormVersion | undefined = chosen === undefined ? '0.3' : undefined;

/** Returns the engines that the conformance tests run on with a version. */
export function conformanceEngines(version: TypeormVersion): readonly Engine[] {
  return chosen === undefined ? ALL_ENGINES.filter((engine) => CONFORMANCE[engine] === version) : ALL_ENGINES;
}

/** Returns one line that names the versions of a run. */
export function describeVersions(): string {
  return `TypeORM: ${installed(TYPEORM)}${exception()}. Choose one for all tests: ${VARIABLE}=0.3`;
}

function exception(): string {
  return OTHER_TYPEORM === undefined
    ? ''
    : `; ${installed(OTHER_TYPEORM)} for conformance on ${conformanceEngines(OTHER_TYPEORM).join(' and ')}`;
}

function installed(version: TypeormVersion): string {
  const file = join(ROOT, 'node_modules', TYPEORM_PACKAGES[version], 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
