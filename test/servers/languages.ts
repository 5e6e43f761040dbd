import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { obtainPackage } from './debian.js';

/** The suite with Python 3.11 and PHP 8.2. */
const SUITE = 'bookworm';

/** Why the tests of other languages are skipped; undefined where their packages can be downloaded. */
export const NO_LANGUAGES = existsSync('/usr/bin/apt-get') ? undefined : 'no apt to get PHP and Python from';

/** A command that runs a file of another language, with a driver of MySQL. */
export interface Interpreter {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Python with PyMySQL, from Debian's packages. */
export async function obtainPython(): Promise<Interpreter> {
  const { root, launcher } = await obtain('python3-pymysql');
  return {
    command: [...launcher, join(root, 'usr/bin/python3.11')],
    environment: { PYTHONHOME: join(root, 'usr'), PYTHONPATH: join(root, 'usr/lib/python3/dist-packages') },
  };
}

/** PHP with PDO, from Debian's packages. */
export async function obtainPhp(): Promise<Interpreter> {
  const { root, launcher } = await obtain('php-cli');
  const extensions = await obtain('php-mysql');
  const folder = join(extensions.root, 'usr/lib/php/20220829');
  const loaded = ['mysqlnd', 'pdo', 'pdo_mysql'].flatMap((name) => ['-d', `extension=${join(folder, `${name}.so`)}`]);
  return { command: [...launcher, join(root, 'usr/bin/php8.2'), '-n', ...loaded], environment: {} };
}

async function obtain(name: string) {
  const unpacked = await obtainPackage(SUITE, name, (message) => console.log(message));
  if (!unpacked) {
    throw new Error(`The apt of this machine has no Debian mirror with ${name}.`);
  }
  return unpacked;
}
