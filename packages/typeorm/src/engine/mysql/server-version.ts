import { UnsupportedDatabaseError } from '../../errors/index.js';

interface Flavour {
  readonly name: string;
  /** The first version with SKIP LOCKED. */
  readonly oldest: readonly [number, number, number];
}

const MYSQL: Flavour = { name: 'MySQL', oldest: [8, 0, 1] };
const MARIADB: Flavour = { name: 'MariaDB', oldest: [10, 6, 0] };

/**
 * Refuses servers whose claims would not be safe. TiDB calls itself MySQL 8.0.11, takes SKIP LOCKED and ignores it:
 * two workers would get the same job.
 *
 * @param text what `SELECT VERSION()` answers.
 * @throws UnsupportedDatabaseError
 */
export function assertServerVersion(text: string): void {
  if (/tidb/i.test(text)) {
    throw new UnsupportedDatabaseError(`TiDB (${text}), which accepts SKIP LOCKED and ignores it`);
  }
  const flavour = /mariadb/i.test(text) ? MARIADB : MYSQL;
  // Behind some proxies MariaDB puts 5.5.5- before its version, for old replicas.
  const match = /(\d+)\.(\d+)\.(\d+)/.exec(text.replace(/^5\.5\.5-/, ''));
  if (!match) {
    throw new UnsupportedDatabaseError(`a server of the unknown version "${text}"`);
  }
  const version = match.slice(1).map(Number);
  for (const [index, oldest] of flavour.oldest.entries()) {
    const part = version[index] ?? 0;
    if (part !== oldest) {
      if (part < oldest) {
        throw new UnsupportedDatabaseError(`${flavour.name} ${version.join('.')}`);
      }
      return;
    }
  }
}
