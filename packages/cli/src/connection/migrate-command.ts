import { withoutPasswords } from './secrets.js';
import type { TargetOptions } from './target.js';

/** Returns the command that creates the tables in the same database, without its password. */
export function migrateCommand({ url, dataSource, prefix }: TargetOptions): string {
  const options = { '--url': url && withoutPasswords(url), '--data-source': dataSource, '--prefix': prefix };
  const given = Object.entries(options).flatMap(([name, value]) => (value ? [`${name} ${forShell(value)}`] : []));
  return ['npx tablequeue migrate', ...given].join(' ');
}

/** A URL with a hidden password contains `*`, which shells expand. */
function forShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
